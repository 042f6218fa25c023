/** `staging/api/core/v1/well_known_labels.go`: today's zone and region labels and the two they replaced. */
export const ZONE_LABELS = [
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
] as const;

/** What CSI drivers place volumes in, by what cloud controller managers write onto nodes. */
export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';

/** Today's name of a zone or region label (`volumezone:translateToGALabel`). */
export function currentLabel(label: string): string {
  return label.replace('failure-domain.beta.kubernetes.io/', 'topology.kubernetes.io/');
}
