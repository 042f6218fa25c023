/** What strangers may make a replica hold at most, all together. */
export interface Limits {
  readonly connections: number;
  /** Bytes of one body, and of all that are not judged yet. */
  readonly body: number;
  readonly bodies: number;
  /** Bytes of the reviews that are being judged, as `parsedWeightOf` counts them. */
  readonly reviews: number;
}

/**
 * Limits for the 512 MiB of memory that the manifests allow. A process that watches 5,000 nodes and 100,000 claims
 * takes 250 MiB, in a small cluster 110. What is left is given out once: 36 for connections (70 KB each, measured, with
 * TLS and HTTP), 40 for bodies, 128 for reviews that are being judged, and the rest to what is waiting for the garbage
 * collector.
 */
export const SHIPPED_LIMITS: Limits = {
  // An API server keeps 25 idle ones for each of the three entries at most (client-go `transport/cache.go:idleConnsPerHost`),
  // so that five API servers fit, with room for those that are busy.
  connections: 512,
  // etcd stores objects of 1.5 MiB (`--max-request-bytes`), of which an update brings two, old and new. Go writes `<` and control
  // characters with six bytes each; 2 MiB more hold the request around them. Beyond that `failurePolicy` decides, so that a
  // lower limit would be a way round.
  body: (2 * 6 * 1.5 + 2) * 1024 * 1024,
  // Two of the largest at once.
  bodies: 40 * 1024 * 1024,
  // etcd stores objects of 1.5 MiB (`--max-request-bytes`). An update of one to another that are both nothing but `{},` weighs
  // 102 MiB; no object that can be stored weighs more.
  reviews: 128 * 1024 * 1024,
};
