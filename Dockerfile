# The server as a container image: docs/deployment.md.
#
#   docker build -t causeway .                                       from this repository
#   docker build -t causeway --build-arg SOURCE=release .            from what `npm run release` made
#
# buildah 1.28 and the Podman that goes with it (Debian 12) have to be told the default:
# --build-arg SOURCE=repository.
#
# Base images are named by tag, not by digest: a rebuild then takes the distribution's fixes
# for holes that were found since. The tags say the release of Node and of Debian, so a rebuild
# changes neither. Who wants the same bytes every time passes digests in their place:
# --build-arg NODE_IMAGE=node@sha256:… --build-arg BASE_IMAGE=debian@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim
ARG SOURCE=repository

FROM ${NODE_IMAGE} AS repository
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY LICENSE SECURITY.md tsconfig.json tsconfig.package.json tsconfig.client.json ./
COPY bin bin
COPY docs docs
COPY gen gen
COPY scripts scripts
COPY src src
RUN mkdir /release && npm pack --silent --pack-destination /release && cp package-lock.json /release

FROM ${NODE_IMAGE} AS release
COPY release/causeway-*.tgz release/package-lock.json /release/

# hadolint ignore=DL3006
FROM ${SOURCE} AS packed

FROM ${NODE_IMAGE} AS installed
WORKDIR /causeway
COPY --from=packed /release /release
# Left out: what only develops, and what the image has better (Node) or elsewhere (PostgreSQL).
# The bill of materials says what is installed, so the package must no longer name what is not.
RUN tar --extract --gzip --strip-components=1 --file /release/causeway-*.tgz \
  && cp /release/package-lock.json . \
  && npm ci --ignore-scripts --omit=dev --omit=optional \
  && npm pkg delete devDependencies optionalDependencies \
  && npm sbom --sbom-format cyclonedx --sbom-type application > sbom.cdx.json

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="Causeway" \
  org.opencontainers.image.description="Self-hosted model gateway with teams, and a dependency-health service" \
  org.opencontainers.image.licenses="Apache-2.0" \
  causeway.sbom="/usr/local/lib/causeway/sbom.cdx.json"
COPY --from=installed /usr/local/bin/node /usr/local/bin/node
COPY --from=installed /causeway /usr/local/lib/causeway
# A number, so that Kubernetes can tell that it is not root. It owns the data directory and nothing else.
RUN ln -s ../lib/causeway/bin/causeway.js /usr/local/bin/causeway \
  && install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/causeway
ENV NODE_ENV=production \
  CAUSEWAY_HOST=0.0.0.0 \
  CAUSEWAY_DATA_DIR=/var/lib/causeway
USER 10001:10001
WORKDIR /var/lib/causeway
EXPOSE 8080 8081
# The port of the gateway, or that of the tools where this container serves them alone.
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "/usr/local/lib/causeway/bin/check-readiness.js"]
ENTRYPOINT ["causeway"]
CMD ["serve"]
