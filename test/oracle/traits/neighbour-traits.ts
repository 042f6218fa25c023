import type {
  V1ContainerPort,
  V1LabelSelector,
  V1PodAffinityTerm,
  V1TopologySpreadConstraint,
} from '@kubernetes/client-node';
import { containerOf, type Draft, HOSTNAME, nameOf, SCENE, type Template, TIER, templatesOf, ZONE } from '../draft.ts';
import type { Trait } from './trait.ts';

const HASH = 'pod-template-hash';

/** What pods of one workload ask of each other. */
export const neighbourTraits: Readonly<Record<string, Trait>> = {
  'self-affinity': {
    variants: {
      labels: (draft) => together(draft, {}),
      expressions: (draft) => together(draft, { labelSelector: expressions(draft) }),
      zone: (draft) => together(draft, { topologyKey: ZONE }),
      'after-only': (draft) => together(draft, {}, [draft.after]),
      'before-only': (draft) => together(draft, {}, [draft.before]),
      'two-terms': (draft) => {
        together(draft, {});
        together(draft, { topologyKey: ZONE });
      },
      'changing-label': changingLabel,
      preferred: (draft) => {
        for (const template of templatesOf(draft)) {
          const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 100, podAffinityTerm: term(draft, {}) }];
          template.spec.affinity = {
            ...template.spec.affinity,
            podAffinity: { preferredDuringSchedulingIgnoredDuringExecution },
          };
        }
      },
    },
  },
  'affinity-namespaces': {
    variants: {
      own: (draft) => affinityTerms(draft, { namespaces: [draft.namespace] }),
      'own-and-other': (draft) => affinityTerms(draft, { namespaces: [draft.namespace, 'kube-system'] }),
      selector: (draft) => affinityTerms(draft, { namespaceSelector: { matchLabels: draft.namespaceLabels } }),
      every: (draft) => affinityTerms(draft, { namespaceSelector: {} }),
    },
    needs: 'self-affinity',
  },
  'affinity-keys': {
    variants: {
      'match-revision': (draft) => affinityTerms(draft, { matchLabelKeys: [HASH] }),
      'match-other': (draft) => affinityTerms(draft, { matchLabelKeys: [TIER] }),
      // With a key that its pods have, the first of them would find no node.
      'mismatch-absent': (draft) => affinityTerms(draft, { mismatchLabelKeys: ['oracle.example.com/tenant'] }),
    },
    needs: 'self-affinity',
  },
  // Where nothing of the workload runs yet, all of its pods would follow the bystander's.
  bystander: {
    variants: {
      'of-the-label': (draft) => {
        draft.bystander = true;
        for (const { metadata } of templatesOf(draft)) metadata.labels[SCENE] = nameOf(draft.plan);
        affinityTerms(draft, { labelSelector: { matchLabels: { [SCENE]: nameOf(draft.plan) } } });
      },
    },
    actions: ['update', 'scale'],
    leastNodes: 2,
    needs: 'self-affinity',
  },
  'anti-affinity': {
    variants: {
      both: (draft) => apart(draft, {}),
      'before-only': (draft) => apart(draft, {}, [draft.before]),
      'after-only': (draft) => apart(draft, {}, [draft.after]),
      expressions: (draft) => apart(draft, { labelSelector: expressions(draft) }),
      zone: (draft) => apart(draft, { topologyKey: ZONE }),
      'match-label-keys': (draft) => apart(draft, { matchLabelKeys: [HASH] }),
      'mismatch-label-keys': (draft) => apart(draft, { mismatchLabelKeys: [HASH] }),
      'other-namespace': (draft) => apart(draft, { namespaces: ['kube-system'] }),
      preferred: (draft) => {
        for (const { spec } of templatesOf(draft)) {
          const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 100, podAffinityTerm: term(draft, {}) }];
          spec.affinity = { ...spec.affinity, podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution } };
        }
      },
    },
  },
  'host-port': {
    variants: {
      both: (draft) => listen(templatesOf(draft), { hostPort: 8080 }),
      'before-only': ({ before }) => listen([before], { hostPort: 8080 }),
      'after-only': ({ after }) => listen([after], { hostPort: 8080 }),
      'other-protocol': ({ before, after }) => {
        listen([before], { hostPort: 8080 });
        listen([after], { hostPort: 8080, protocol: 'UDP' });
      },
      'other-address': ({ before, after }) => {
        listen([before], { hostPort: 8080, hostIP: '10.0.0.1' });
        listen([after], { hostPort: 8080, hostIP: '10.0.0.2' });
      },
      'any-address': ({ before, after }) => {
        listen([before], { hostPort: 8080, hostIP: '10.0.0.1' });
        listen([after], { hostPort: 8080 });
      },
    },
  },
  'host-network': {
    variants: {
      port: (draft) => hostNetwork(draft, true),
      'no-port': (draft) => hostNetwork(draft, false),
    },
  },
  // Not `nodeAffinityPolicy: Ignore`, which counts the nodes of other scenarios.
  spread: {
    variants: {
      hostname: (draft) => spread(draft, {}),
      'skew-2': (draft) => spread(draft, { maxSkew: 2 }),
      zone: (draft) => spread(draft, { topologyKey: ZONE }),
      'match-label-keys': (draft) => spread(draft, { matchLabelKeys: [HASH] }),
      'min-domains': (draft) => spread(draft, { minDomains: 2 }),
      'schedule-anyway': (draft) => spread(draft, { whenUnsatisfiable: 'ScheduleAnyway' }),
      'other-labels': (draft) => spread(draft, { labelSelector: { matchLabels: { app: 'other' } } }),
      'honor-taints': (draft) => spread(draft, { nodeTaintsPolicy: 'Honor' }),
    },
  },
};

function own({ before }: Draft): V1LabelSelector {
  return { matchLabels: { app: before.metadata.labels.app ?? '' } };
}

function expressions({ before }: Draft): V1LabelSelector {
  return { matchExpressions: [{ key: 'app', operator: 'In', values: [before.metadata.labels.app ?? '', 'other'] }] };
}

function term(draft: Draft, more: Partial<V1PodAffinityTerm>): V1PodAffinityTerm {
  return { labelSelector: own(draft), topologyKey: HOSTNAME, ...structuredClone(more) };
}

function together(draft: Draft, more: Partial<V1PodAffinityTerm>, templates = templatesOf(draft)): void {
  for (const { spec } of templates) {
    const others = spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [...others, term(draft, more)] };
    spec.affinity = { ...spec.affinity, podAffinity };
  }
}

/** Says more in each term that is there. */
function affinityTerms(draft: Draft, more: Partial<V1PodAffinityTerm>): void {
  for (const { spec } of templatesOf(draft)) {
    const { podAffinity } = spec.affinity ?? {};
    const preferred = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms = [
      ...(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...preferred.map(({ podAffinityTerm }) => podAffinityTerm),
    ];
    for (const one of terms) Object.assign(one, structuredClone(more));
  }
}

function apart(draft: Draft, more: Partial<V1PodAffinityTerm>, templates = templatesOf(draft)): void {
  for (const { spec } of templates) {
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term(draft, more)] };
    spec.affinity = { ...spec.affinity, podAntiAffinity };
  }
}

/** The new pods want to be with pods of a label that the old ones do not have. */
function changingLabel(draft: Draft): void {
  for (const [template, version] of [
    [draft.before, 'v1'],
    [draft.after, 'v2'],
  ] as const) {
    template.metadata.labels['oracle.example.com/version'] = version;
    together(draft, { labelSelector: { matchLabels: { 'oracle.example.com/version': version } } }, [template]);
  }
}

function listen(templates: readonly Template[], port: Omit<V1ContainerPort, 'containerPort'>): void {
  for (const template of templates) containerOf(template).ports = [{ containerPort: 8080, ...port }];
}

function hostNetwork(draft: Draft, port: boolean): void {
  for (const template of templatesOf(draft)) {
    template.spec.hostNetwork = true;
    if (port) containerOf(template).ports = [{ containerPort: 9090 }];
  }
}

function spread(draft: Draft, more: Partial<V1TopologySpreadConstraint>): void {
  for (const { spec } of templatesOf(draft)) {
    spec.topologySpreadConstraints = [
      {
        maxSkew: 1,
        topologyKey: HOSTNAME,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: own(draft),
        ...structuredClone(more),
      },
    ];
  }
}
