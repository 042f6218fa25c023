import { type JsonObject, objectAt, stringMapAt } from './json.ts';

/** Who applies an object again and again, or did so last, as the object's own labels and annotations tell. */
export interface ManagedBy {
  readonly tool: 'Argo CD' | 'Flux Kustomization' | 'Flux HelmRelease' | 'Helm';
  /** The tool's own object: an Application, a Kustomization, a HelmRelease or a release. */
  readonly name: string;
  /** Empty where nobody says. */
  readonly namespace: string;
  /** Told by nothing but a label that charts write too. */
  readonly guessed: boolean;
}

/** Whether it puts the object back to what is written in Git without being asked. */
export function putsBack({ tool, guessed }: ManagedBy): boolean {
  return tool !== 'Helm' && !guessed;
}

/**
 * By `argo-cd/common/common.go` (tracking id, or the instance label of old, which others write too and which therefore counts only
 * where nobody else claims the object), `flux2/pkg/manifestgen` and `helm/pkg/action/validate.go`.
 */
export function managedByOf(object: JsonObject): readonly ManagedBy[] {
  const metadata = objectAt(object, 'metadata');
  const labels = stringMapAt(metadata, 'labels');
  const annotations = stringMapAt(metadata, 'annotations');
  const found: ManagedBy[] = [];
  const add = (tool: ManagedBy['tool'], name: string | undefined, namespace = '', guessed = false): void => {
    if (name !== undefined && name !== '') found.push({ tool, name, namespace, guessed });
  };
  add('Flux Kustomization', labels.get(`${KUSTOMIZE}name`), labels.get(`${KUSTOMIZE}namespace`));
  add('Flux HelmRelease', labels.get(`${HELM}name`), labels.get(`${HELM}namespace`));
  const tracked = annotations.get('argocd.argoproj.io/tracking-id')?.split(':')[0];
  add('Argo CD', tracked ?? labels.get('argocd.argoproj.io/instance'));
  if (labels.get('app.kubernetes.io/managed-by') === 'Helm')
    add('Helm', annotations.get('meta.helm.sh/release-name'), annotations.get('meta.helm.sh/release-namespace'));
  if (found.length === 0) add('Argo CD', labels.get('app.kubernetes.io/instance'), '', true);
  return found;
}

const KUSTOMIZE = 'kustomize.toolkit.fluxcd.io/';
const HELM = 'helm.toolkit.fluxcd.io/';
