/** Every `grpc-status` in a head or in the trailers of a body. */
export function grpcStatusesIn(text: string): number[] {
  return [...text.matchAll(/grpc-status: ?(\d+)/gi)].map(([, status]) => Number(status));
}
