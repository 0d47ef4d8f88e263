import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from "@opentelemetry/resources";

/**
 * Who sends spans and metrics. Each process is an instance of its own, because a
 * collector takes the sums of two that share a name for one sum that jumps; what
 * `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` say wins.
 */
export function createOtlpResource(): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ "service.name": "causeway" }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
}
