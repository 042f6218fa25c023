import { stringify } from 'yaml';

type Manifest = Readonly<Record<string, unknown>>;

/** One document each. */
export function written(...manifests: readonly Manifest[]): string {
  return manifests.map((manifest) => stringify(manifest)).join('---\n');
}

export function claim(spec: object = {}, metadata: object = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], ...spec },
  };
}

/** A Deployment `web` of one replica that mounts the claim `data`. */
export function deployment(spec: object = {}, metadata: object = {}, podSpec: object = {}): Manifest {
  const labels = { app: 'web' };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', ...metadata },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { volumes, ...podSpec } },
      ...spec,
    },
  };
}
