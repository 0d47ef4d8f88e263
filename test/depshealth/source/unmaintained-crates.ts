import { irregularAdvisories } from "./irregular-advisories.ts";

/** An advisory of RustSec, and the package that it offers instead; null: none. */
export interface UnmaintainedCrate {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly successor: string | null;
}

type Wording = (name: string, successor: string) => Pick<UnmaintainedCrate, "title" | "text">;

const page = (name: string) => `https://r.example/crates/${name}`;

/** The forms in which most of them name a successor, in words of our own. */
const wordings = {
  silent: (name: string) => ({
    title: `${name} is unmaintained`,
    text: "Its author has archived it.",
  }),
  listed: (name: string, successor: string) => ({
    title: `\`${name}\` is unmaintained`,
    text: `Nobody answers for \`${name}\` any more.\n\n## Possible Alternative(s)\n\n- [${successor}](${page(successor)})`,
  }),
  offered: (name: string, successor: string) => ({
    title: `${name} is unmaintained`,
    text: `[\`${name}\`](${page(name)}) is no more. Users should migrate to the [\`${successor}\`](${page(successor)}) crate.`,
  }),
  renamed: (name: string, successor: string) => ({
    title: `\`${name}\` has been renamed to \`${successor}\``,
    text: "There will be no further releases under the old name.",
  }),
  title: (name: string, successor: string) => ({
    title: `${name} is unmaintained, use ${successor} instead`,
    text: `Use [${successor}](${page(successor)}).`,
  }),
} satisfies Record<string, Wording>;

/** By form: number of the advisory, crate, successor. */
const usual: Readonly<Record<keyof typeof wordings, string>> = {
  silent: `
    2018-0016 quickersort, 2021-0065 anymap, 2021-0133 cargo-download, 2021-0136 sass-rs,
    2021-0148 nphysics3d, 2021-0149 nphysics2d, 2021-0150 ncollide3d, 2021-0151 ncollide2d,
    2022-0050 interledger-packet, 2022-0080 parity-util-mem, 2023-0025 git-hash,
    2023-0026 git-path, 2024-0004 cosmwasm, 2024-0015 filesystem, 2024-0333 rsa-export,
    2024-0334 libp2p-tokio-socks5, 2024-0382 hwloc, 2024-0386 strason, 2024-0397 conrod,
    2025-0010 ring, 2025-0061 iron, 2025-0069 daemonize, 2025-0076 unic-ucd-name,
    2025-0080 unic-common, 2025-0087 unic-cli, 2025-0089 unic-ucd-name_aliases,
    2025-0091 unic-utils, 2025-0093 unic-char-basics, 2025-0098 unic-ucd-version,
    2025-0099 unic-ucd-block, 2025-0102 unic-ucd-age, 2025-0103 unic-ucd-core,
    2025-0114 tandem_http_client, 2025-0115 tandem_http_server, 2025-0116 tandem_garble_interop,
    2025-0117 tandem, 2025-0134 rustls-pemfile, 2026-0062 tokio-compat, 2026-0150 audiopus_sys,
    2026-0162 pqcrypto-traits, 2026-0163 pqcrypto-internals, 2026-0164 pqcrypto,
    2026-0167 pqcrypto-classicmceliece, 2026-0168 pqcrypto-hqc, 2026-0196 cgmath,
    2026-0241 nostr-keyring
  `,
  listed: `
    2017-0008 serial serial2, 2018-0015 term crossterm, 2019-0039 typemap ttmap,
    2020-0003 rust_sodium sodiumoxide, 2020-0010 tiberius odbc, 2020-0056 stdweb wasm-bindgen,
    2020-0077 memmap memmap2, 2020-0095 difference dissimilar, 2020-0144 lzw weezl,
    2020-0158 slice-deque slice-ring-buffer, 2020-0168 mach mach2, 2021-0127 serde_cbor ciborium,
    2021-0137 sodiumoxide libsodium-sys-stable, 2021-0139 ansi_term ansiterm,
    2021-0140 rusttype ab_glyph, 2021-0141 dotenv dotenvy,
    2021-0142 dotenv_codegen dotenvy_codegen_impl, 2021-0144 traitobject destructure_traitobject,
    2021-0153 encoding encoding_rs, 2022-0024 double-checked-cell once_cell,
    2022-0039 odbc odbc-api, 2022-0053 mapr memmap2, 2022-0057 badge badge-maker,
    2022-0060 orbtk iced, 2022-0077 claim claims, 2022-0081 json jzon,
    2023-0019 kuchiki kuchikiki, 2023-0036 tree_magic tree_magic_mini, 2023-0050 multipart multer,
    2023-0051 dlopen_derive dlopen2_derive, 2023-0076 cpython pyo3,
    2023-0089 atomic-polyfill portable-atomic, 2024-0014 generational-arena slotmap,
    2024-0320 yaml-rust yaml-rust2, 2024-0370 proc-macro-error manyhow,
    2024-0389 openslide openslide-rs, 2024-0390 minitrace fastrace, 2024-0425 get-size get-size2,
    2024-0427 get-size-derive get-size-derive2, 2024-0436 paste pastey,
    2025-0013 resolve hickory-resolver, 2025-0026 registry windows-registry,
    2025-0036 surf reqwest, 2025-0052 async-std smol, 2025-0058 custom_derive strum,
    2025-0059 servo-fontconfig fontconfig-rs, 2025-0060 crypto-hash crypto-hashes,
    2025-0074 unic-segment icu_segmenter, 2025-0077 unic-ucd icu_properties,
    2025-0078 unic-ucd-normal icu_normalizer, 2025-0079 unic-ucd-hangul icu_normalizer,
    2025-0081 unic-char-property icu_properties, 2025-0082 unic-normal icu_normalizer,
    2025-0083 unic-ucd-bidi icu_properties, 2025-0084 unic-emoji icu_properties,
    2025-0085 unic-idna idna, 2025-0086 unic-char icu_properties,
    2025-0088 unic-idna-punycode idna, 2025-0090 unic-emoji-char icu_properties,
    2025-0092 unic-ucd-case icu_properties, 2025-0094 unic-ucd-category icu_properties,
    2025-0095 unic icu, 2025-0096 unic-bidi unicode-bidi, 2025-0097 unic-idna-mapping idna,
    2025-0100 unic-ucd-ident icu_properties, 2025-0101 unic-ucd-common icu_properties,
    2025-0104 unic-ucd-segment icu_properties, 2025-0119 number_prefix unit-prefix,
    2025-0121 gcc cc, 2025-0122 cargo-asm cargo-show-asm,
    2025-0123 opentelemetry-jaeger opentelemetry-jaeger-propagator, 2025-0141 bincode wincode,
    2026-0105 core2 embedded-io, 2026-0173 proc-macro-error2 manyhow, 2026-0192 ttf-parser skrifa,
    2026-0203 tree-sitter-perl-next ts-parser-perl, 2026-0206 rustybuzz harfrust,
    2026-0214 gumdrop clap, 2026-0215 smallstr compact_str, 2026-0247 bitmaps fixedbitset,
    2026-0248 im imbl, 2026-0249 smartstring compact_str, 2026-0251 sized-chunks imbl-sized-chunks
  `,
  offered: `
    2017-0007 lz4-compress lz4-compression, 2020-0162 tokio-proto tokio-tower,
    2021-0062 miscreant aes-siv, 2022-0036 r2d2_odbc r2d2-odbc-api,
    2022-0061 parity-wasm wasm-tools, 2023-0084 hpack fluke-hpack, 2023-0088 loopdev loopdev-3,
    2024-0395 chrono-english interim, 2024-0396 conrod_core egui, 2024-0410 gdkwayland gtk4-rs,
    2024-0411 gdkwayland-sys gtk4-rs, 2024-0412 gdk gtk4-rs, 2024-0413 atk gtk4-rs,
    2024-0414 gdkx11-sys gtk4-rs, 2024-0415 gtk gtk4-rs, 2024-0416 atk-sys gtk4-rs,
    2024-0417 gdkx11 gtk4-rs, 2024-0418 gdk-sys gtk4-rs, 2024-0419 gtk3-macros gtk4-rs,
    2024-0420 gtk-sys gtk4-rs, 2024-0422 gtk-layer-shell gtk4-layer-shell,
    2024-0423 gtk-layer-shell-sys gtk4-layer-shell,
    2025-0011 openpgp-card-sequoia openpgp-card-rpgp, 2025-0012 backoff backon,
    2025-0025 rustc-serialize serde, 2025-0057 fxhash rustc-hash, 2025-0124 rand_os rand_core,
    2025-0161 libsecp256k1 k256, 2026-0050 tokio-uds tokio, 2026-0051 tokio-threadpool tokio,
    2026-0052 tokio-sync tokio, 2026-0053 tokio-tls tokio, 2026-0054 tokio-current-thread tokio,
    2026-0055 tokio-process tokio, 2026-0056 tokio-codec tokio-util,
    2026-0057 tokio-reactor tokio, 2026-0058 tokio-io tokio, 2026-0059 tokio-tcp tokio,
    2026-0060 tokio-timer tokio, 2026-0061 tokio-fs tokio, 2026-0063 tokio-executor tokio,
    2026-0064 tokio-udp tokio, 2026-0065 tokio-signal tokio,
    2026-0160 pqcrypto-sphincsplus slh-dsa, 2026-0161 pqcrypto-mlkem ml-kem,
    2026-0165 pqcrypto-falcon fn-dsa, 2026-0166 pqcrypto-mldsa ml-dsa, 2026-0169 surf reqwest,
    2026-0170 tide trillium, 2026-0237 nostr-relay-builder nostr-sdk,
    2026-0243 nostr-relay-pool nostr-sdk
  `,
  renamed: `
    2020-0018 block-cipher-trait block-cipher, 2020-0057 block-cipher cipher,
    2020-0058 stream-cipher cipher, 2020-0064 ffi_utils sn_ffi_utils,
    2020-0065 fake_clock sn_fake_clock, 2020-0066 safe_bindgen sn_bindgen,
    2020-0067 quic-p2p qp2p, 2020-0076 routing sn_routing, 2020-0083 safe_app sn_client,
    2020-0084 safe_authenticator sn_client, 2020-0085 safe_vault sn_node,
    2020-0086 safe_core sn_client, 2021-0024 safe-api sn_api, 2021-0025 jsonrpc-quic qjsonrpc,
    2021-0059 aesni aes, 2021-0060 aes-soft aes, 2021-0061 aes-ctr aes,
    2021-0064 cpuid-bool cpufeatures, 2021-0099 cosmos_sdk cosmrs,
    2022-0005 ftd2xx-embedded-hal ftdi-embedded-hal, 2022-0023 static_type_map erased_set,
    2022-0073 alloc-cortex-m embedded-alloc, 2023-0037 xsalsa20poly1305 crypto_secretbox,
    2023-0094 martin-mbtiles mbtiles, 2024-0380 pqcrypto-dilithium pqcrypto-mldsa,
    2024-0381 pqcrypto-kyber pqcrypto-mlkem, 2024-0387 opentelemetry_api opentelemetry,
    2026-0210 libcrux-aesgcm libcrux-aes
  `,
  title: `
    2016-0006 cassandra cassandra-cpp, 2020-0020 stb_truetype ttf-parser, 2020-0025 bigint uint,
    2020-0147 rulinalg nalgebra, 2021-0002 interfaces2 interfaces, 2021-0034 office calamine,
    2021-0096 spirv_headers spirv, 2022-0001 lmdb lmdb-rkv, 2023-0043 ftp suppaftp,
    2023-0067 fehler culpa, 2025-0048 tsify-next tsify, 2025-0056 adler adler2
  `,
};

/** Every advisory of RustSec on an unmaintained crate that stood in August 2026; ids and names are theirs (CC0). */
export const unmaintainedCrates: readonly UnmaintainedCrate[] = [
  ...Object.entries(usual).flatMap(([form, rows]) =>
    usualRows(form as keyof typeof wordings, rows),
  ),
  ...irregularAdvisories.map(([number, name, title, text, successor]) => ({
    id: `RUSTSEC-${number}`,
    name,
    title,
    text,
    successor,
  })),
];

function usualRows(form: keyof typeof wordings, rows: string): readonly UnmaintainedCrate[] {
  return rows
    .trim()
    .split(/,\s+/)
    .map((row) => {
      const [number = "", name = "", successor = ""] = row.split(" ");
      const said = wordings[form](name, successor);
      return {
        id: `RUSTSEC-${number}`,
        name,
        ...said,
        successor: successor === "" ? null : successor,
      };
    });
}
