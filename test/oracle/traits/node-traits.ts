import type {
  V1Node,
  V1NodeSelectorRequirement,
  V1NodeSelectorTerm,
  V1Taint,
  V1Toleration,
} from '@kubernetes/client-node';
import { type Draft, homeOf, NORTH, PLACE, RANK, type Template, templatesOf, ZONE } from '../draft.ts';
import { KINDS } from '../plan.ts';
import type { Trait } from './trait.ts';

const TAINT = { key: 'oracle.example.com/dedicated', value: 'batch', effect: 'NoSchedule' };

const LATER = { key: 'oracle.example.com/reserved', value: 'batch', effect: 'NoSchedule' };

/** A DaemonSet says itself on which node each pod is. */
const NOT_DAEMON_SETS = KINDS.filter((kind) => kind !== 'DaemonSet');

/** Which nodes a pod asks for. The first node always stays among them. */
export const nodeTraits: Readonly<Record<string, Trait>> = {
  // Without it the first node is alone in its zone.
  zones: {
    variants: {
      'home-of-two': ({ nodes }) => {
        const [, next] = nodes;
        if (next?.metadata?.labels !== undefined) next.metadata.labels[ZONE] = NORTH;
      },
    },
    leastNodes: 2,
  },
  'match-expressions': {
    variants: {
      in: both([{ key: PLACE, operator: 'In', values: ['home', 'away'] }]),
      'in-home': both([{ key: PLACE, operator: 'In', values: ['home'] }]),
      'not-in-away': both([{ key: PLACE, operator: 'NotIn', values: ['away'] }]),
      'not-in-nowhere': both([{ key: PLACE, operator: 'NotIn', values: ['nowhere'] }]),
      exists: both([{ key: RANK, operator: 'Exists' }]),
      'does-not-exist': both([{ key: 'oracle.example.com/retired', operator: 'DoesNotExist' }]),
      gt: both([{ key: RANK, operator: 'Gt', values: ['0'] }]),
      lt: both([{ key: RANK, operator: 'Lt', values: ['2'] }]),
      alternatives: both(
        [{ key: PLACE, operator: 'In', values: ['home'] }],
        [{ key: RANK, operator: 'In', values: ['2'] }],
      ),
      contradiction: both(
        [{ key: PLACE, operator: 'In', values: ['home'] }],
        [
          { key: PLACE, operator: 'In', values: ['home'] },
          { key: PLACE, operator: 'NotIn', values: ['home'] },
        ],
      ),
    },
  },
  'match-fields': {
    variants: {
      home: (draft) => byName(draft, ['home']),
      'home-or-next': (draft) => byName(draft, ['home', 'next']),
      'not-next': (draft) => fields(draft, [{ matchFields: [named('NotIn', nodeAt(draft, 1))] }]),
    },
    leastNodes: 2,
  },
  'node-name': {
    variants: {
      home: (draft) => {
        for (const { spec } of templatesOf(draft)) spec.nodeName = nodeAt(draft, 0);
      },
    },
    kinds: NOT_DAEMON_SETS,
  },
  'node-name-update': {
    variants: {
      moves: ({ before, after, ...draft }) => {
        before.spec.nodeName = nodeAt(draft, 0);
        after.spec.nodeName = nodeAt(draft, 1);
      },
      appears: ({ after, ...draft }) => {
        after.spec.nodeName = nodeAt(draft, 1);
      },
      goes: ({ before, ...draft }) => {
        before.spec.nodeName = nodeAt(draft, 0);
      },
    },
    actions: ['update'],
    kinds: NOT_DAEMON_SETS,
    leastNodes: 2,
  },
  taints: {
    variants: {
      'not-tolerated': (draft) => taintAway(draft, {}),
      'no-execute': (draft) => taintAway(draft, { effect: 'NoExecute' }),
      // On all of them, or the scheduler would not take the worst node.
      prefer: ({ nodes }) => taint(nodes, { ...TAINT, effect: 'PreferNoSchedule' }),
      'no-operator': (draft) => taintAway(draft, {}, { key: TAINT.key, value: 'batch', effect: 'NoSchedule' }),
      equal: (draft) => taintAway(draft, {}, { key: TAINT.key, operator: 'Equal', value: 'batch' }),
      exists: (draft) => taintAway(draft, { effect: 'NoExecute' }, { key: TAINT.key, operator: 'Exists' }),
      everything: (draft) => taintAway(draft, {}, { operator: 'Exists' }),
      'other-value': (draft) => taintAway(draft, {}, { key: TAINT.key, operator: 'Equal', value: 'web' }),
      'other-effect': (draft) => taintAway(draft, {}, { key: TAINT.key, operator: 'Exists', effect: 'NoExecute' }),
      'home-tolerated': (draft) => {
        homeOf(draft).spec = { taints: [{ ...TAINT }] };
        tolerate(draft, { key: TAINT.key, operator: 'Exists' });
      },
    },
  },
  'toleration-update': {
    variants: {
      appears: ({ after, ...draft }) => {
        taintAway(draft, {});
        after.spec.tolerations = [{ key: TAINT.key, operator: 'Exists' }];
      },
      goes: ({ before, ...draft }) => {
        taintAway(draft, {});
        before.spec.tolerations = [{ key: TAINT.key, operator: 'Exists' }];
      },
    },
    actions: ['update'],
    leastNodes: 2,
  },
  'taint-later': {
    variants: {
      home: (draft) => void draft.weather.push({ name: nodeAt(draft, 0), taint: { ...LATER } }),
      away: (draft) => void draft.weather.push(...away(draft).map((name) => ({ name, taint: { ...LATER } }))),
      'home-tolerated': (draft) => {
        draft.weather.push({ name: nodeAt(draft, 0), taint: { ...LATER } });
        tolerate(draft, { key: LATER.key, operator: 'Exists' });
      },
    },
    actions: ['update', 'scale'],
    leastNodes: 2,
  },
  cordon: {
    variants: {
      'away-before': (draft) => {
        const last = draft.nodes.at(-1);
        if (last !== undefined) last.spec = { ...last.spec, unschedulable: true };
      },
      'next-before': ({ nodes }) => {
        const [, next] = nodes;
        if (next !== undefined) next.spec = { ...next.spec, unschedulable: true };
      },
      'away-later': (draft) => void draft.weather.push({ name: nodeAt(draft, 1), unschedulable: true }),
      'home-later': (draft) => void draft.weather.push({ name: nodeAt(draft, 0), unschedulable: true }),
      'home-later-tolerated': (draft) => {
        draft.weather.push({ name: nodeAt(draft, 0), unschedulable: true });
        tolerate(draft, { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' });
      },
    },
    actions: ['update', 'scale'],
    leastNodes: 2,
  },
  'selector-update': {
    variants: {
      'to-home': ({ after }) => select(after, 'home'),
      'to-away': ({ after }) => select(after, 'away'),
      dropped: ({ before }) => select(before, 'home'),
    },
    actions: ['update'],
    leastNodes: 2,
  },
};

function select({ spec }: Template, place: string): void {
  spec.nodeSelector = { ...spec.nodeSelector, [PLACE]: place };
}

/** Alternatives of requirements on labels, in both templates. */
function both(...alternatives: readonly V1NodeSelectorRequirement[][]) {
  return (draft: Draft): void =>
    fields(
      draft,
      alternatives.map((matchExpressions) => ({ matchExpressions })),
    );
}

function fields(draft: Draft, nodeSelectorTerms: V1NodeSelectorTerm[]): void {
  for (const { spec } of templatesOf(draft)) {
    const terms = structuredClone(nodeSelectorTerms);
    spec.affinity = {
      ...spec.affinity,
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
    };
  }
}

function byName(draft: Draft, which: readonly ('home' | 'next')[]): void {
  fields(
    draft,
    which.map((place) => ({ matchFields: [named('In', nodeAt(draft, place === 'home' ? 0 : 1))] })),
  );
}

function named(operator: 'In' | 'NotIn', node: string): V1NodeSelectorRequirement {
  return { key: 'metadata.name', operator, values: [node] };
}

function nodeAt({ nodes }: Pick<Draft, 'nodes'>, index: number): string {
  return nodes[Math.min(index, nodes.length - 1)]?.metadata?.name ?? '';
}

function away({ nodes }: Pick<Draft, 'nodes'>): readonly string[] {
  return nodes.slice(1).map(({ metadata }) => metadata?.name ?? '');
}

function taintAway(
  draft: Pick<Draft, 'nodes'> & Partial<Draft>,
  more: Partial<V1Taint>,
  toleration?: V1Toleration,
): void {
  taint(draft.nodes.slice(1), { ...TAINT, ...more });
  if (toleration !== undefined) tolerate(draft, toleration);
}

function taint(nodes: readonly V1Node[], taint: V1Taint): void {
  for (const node of nodes) node.spec = { ...node.spec, taints: [{ ...taint }] };
}

function tolerate({ before, after }: Partial<Draft>, toleration: V1Toleration): void {
  for (const template of [before, after]) {
    if (template === undefined) continue;
    template.spec.tolerations = [...(template.spec.tolerations ?? []), { ...toleration }];
  }
}
