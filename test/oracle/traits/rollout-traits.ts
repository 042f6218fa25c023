import type { Trait } from './trait.ts';

/** What an update says beside a new template. */
export const rolloutTraits: Readonly<Record<string, Trait>> = {
  paused: {
    variants: {
      paused: (draft) => {
        draft.pause = 'update';
      },
      unpaused: (draft) => {
        draft.pause = 'until-update';
      },
    },
    kinds: ['Deployment'],
    actions: ['update'],
  },
  'strategy-update': {
    variants: {
      'from-recreate': (draft) => {
        draft.strategyBefore = 'Recreate';
        draft.onlyStrategyChanges = true;
      },
      'from-surge': (draft) => {
        draft.strategyBefore = '1/0';
        draft.onlyStrategyChanges = true;
      },
      'with-template': (draft) => {
        draft.strategyBefore = '1/0';
      },
    },
    kinds: ['Deployment'],
    actions: ['update'],
  },
  'replicas-update': {
    variants: {
      more: (draft) => {
        draft.replicasBefore = 1;
      },
      fewer: (draft) => {
        draft.replicasBefore = draft.plan.replicas + 1;
      },
    },
    kinds: ['Deployment'],
    actions: ['update'],
  },
  'stateful-set': {
    variants: {
      parallel: ({ manner }) => void manner.add('Parallel'),
      'on-delete': ({ manner }) => void manner.add('OnDelete'),
      partition: ({ manner }) => void manner.add('partition'),
    },
    kinds: ['StatefulSet'],
  },
};
