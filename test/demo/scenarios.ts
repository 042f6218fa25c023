/** What a person types, one after the other, at the demo's cluster. */
export interface Scenario {
  /** Names its manifest and its recording. */
  readonly id: string;
  readonly title: string;
  readonly kubectl: readonly string[];
}

export const SCENARIOS: readonly Scenario[] = [
  {
    id: '01-denied',
    title: 'A rolling update that could wait for ever is denied where the namespace enforces',
    kubectl: ['apply', '-f', '01-denied.yaml'],
  },
  {
    id: '02-warned',
    title: 'The same in a namespace without a label: it is created, with a warning',
    kubectl: ['apply', '-f', '02-warned.yaml'],
  },
  {
    id: '03-dry-run',
    title: 'A dry run says that it would be denied',
    kubectl: ['apply', '--dry-run=server', '-f', '03-dry-run.yaml'],
  },
  {
    id: '04-single-node',
    title: "Pods that fit on one node only are in nobody's way",
    kubectl: ['apply', '-f', '04-single-node.yaml'],
  },
  {
    id: '05-shared',
    title: 'A claim that many nodes may use at once is no problem, with many replicas either',
    kubectl: ['apply', '-f', '05-shared.yaml'],
  },
  {
    id: '06-exempted',
    title: 'Somebody knows better, and says why',
    kubectl: ['apply', '-f', '06-exempted.yaml'],
  },
  {
    id: '07-recreate',
    title: 'Where the namespace asks for it, one replica gets the strategy Recreate',
    kubectl: ['apply', '-f', '07-recreate.yaml'],
  },
  {
    id: '08-pod-affinity',
    title: '…and several replicas are held on one node',
    kubectl: ['apply', '-f', '08-pod-affinity.yaml'],
  },
  {
    id: '09-late-claim',
    title: 'A Deployment before its claim is an open question; the claim answers it',
    kubectl: ['apply', '-f', '09-late-claim.yaml'],
  },
  {
    id: '10-scaled',
    title: 'Scaling up is judged as well',
    kubectl: ['-n', 'shop', 'scale', 'deployment/queue', '--replicas=3'],
  },
  {
    id: '11-access-mode',
    title: 'A disk cannot be shared, whatever the claim asks',
    kubectl: ['apply', '-f', '11-access-mode.yaml'],
  },
];
