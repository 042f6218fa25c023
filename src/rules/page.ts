/** The prose about a rule that is longer than a message. Names of objects are those of the rule's bad example. */
export interface Page {
  /** How it comes about. Of a bad manifest it is what `rwo-guard explain` tells of it, which a test holds. */
  readonly story: readonly string[];
  /** Two nodes and what is on them. */
  readonly drawing: string;
  /** Why Kubernetes does that. */
  readonly why: string;
  /** What somebody runs before the fix, where their way of applying needs it. */
  readonly patch?: string;
  /** How the fix reaches the cluster, by how somebody applies. */
  readonly ways: readonly Way[];
  /** Checks of other tools that ask for the opposite. Left out for what no linter sees. */
  readonly others?: readonly Silencing[];
  /** What somebody types, and should type, where it is no manifest that is bad. */
  readonly commands?: { readonly bad: string; readonly good: string };
}

export interface Way {
  readonly by: string;
  readonly how: string;
}

export interface Silencing {
  readonly tool: string;
  readonly check: string;
  readonly by: string;
}

/** How `type: Recreate` reaches a Deployment that exists and runs with the rollingUpdate that the API server filled in. */
export const RECREATE_BY_WAY: readonly Way[] = [
  { by: 'kubectl apply', how: 'write `type: Recreate` and apply.' },
  {
    by: 'kubectl apply --server-side',
    how:
      'run the patch once, then apply. Without it the API server says "rollingUpdate: Forbidden: may not be specified when ' +
      'strategy type is Recreate"; to write `rollingUpdate: null` does not help.',
  },
  { by: 'Helm 3', how: "set the chart's value for the strategy and upgrade." },
  {
    by: 'Helm 4',
    how: 'run the patch once, then upgrade. A release that began with Helm 3 goes on as it began, and needs no patch.',
  },
  { by: 'Argo CD', how: 'commit and sync. With `ServerSideApply=true` among the sync options run the patch first.' },
  {
    // What kubectl changed a Kustomization sets back: kustomize-controller's internal/controller/kustomization_controller.go:apply.
    by: 'Kustomizations of Flux',
    how:
      'commit, and run the patch once Flux says "Forbidden": its next try succeeds. Flux sets back a patch that comes before ' +
      'the commit.',
  },
  {
    by: 'charts under Flux',
    how: 'those first installed by Flux 2.8 or newer: run the patch, then commit. Older ones need no patch.',
  },
  {
    by: 'any of them, with the webhook installed',
    how:
      'in place of the patch, label the namespace `rwo-guard.dev/mutate=recreate`: the webhook then drops the rollingUpdate ' +
      'that was left over.',
  },
];

/** For kinds that have no strategy Recreate. */
export const STATEFUL_SET: Way = {
  by: 'a StatefulSet, however you apply',
  how: 'it has no strategy Recreate: scale it to 0 before the next rollout, and back after it.',
};

export const DAEMON_SET: Way = {
  by: 'a DaemonSet, however you apply',
  how: 'set `spec.updateStrategy.rollingUpdate: {maxSurge: 0, maxUnavailable: 1}`.',
};

/** For plain fields that every way of applying can change. */
export const WRITE_IT: Way = {
  by: 'kubectl, Helm 3 and 4',
  how: 'change the manifest or the value, and apply or upgrade; server-side apply takes it as well.',
};

export const COMMIT_IT: Way = {
  by: 'Argo CD and Flux',
  how: 'commit it. What is changed in the cluster alone, they may set back.',
};

/** Linters that want RollingUpdate of every Deployment, whatever it mounts. */
export const WANT_ROLLING_UPDATE: readonly Silencing[] = [
  { tool: 'kube-score', check: '`deployment-strategy`', by: 'annotation `kube-score/ignore: deployment-strategy`' },
  {
    tool: 'kube-linter',
    check: '`no-rolling-update-strategy`',
    by: 'annotation `ignore-check.kube-linter.io/no-rolling-update-strategy: "ReadWriteOnce claim"`',
  },
  { tool: 'Kubescape', check: 'C-0305, no rolling update strategy', by: 'an exception for C-0305' },
  { tool: 'Kyverno', check: 'require-rolling-update-strategy', by: 'a PolicyException' },
];

/** Linters that want several replicas, apart from each other. */
export const WANT_REPLICAS: readonly Silencing[] = [
  {
    tool: 'kube-score',
    check: '`deployment-replicas`, `deployment-has-host-podantiaffinity`',
    by: 'annotation `kube-score/ignore: deployment-replicas,deployment-has-host-podantiaffinity`',
  },
  {
    tool: 'kube-linter',
    check: '`no-anti-affinity`, `minimum-three-replicas`',
    by: 'annotation `ignore-check.kube-linter.io/` with the name of the check',
  },
  {
    tool: 'Polaris',
    check: '`deploymentMissingReplicas`',
    by: 'annotation `polaris.fairwinds.com/deploymentMissingReplicas-exempt: "true"`',
  },
];
