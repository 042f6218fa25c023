import type { Trait } from './trait.ts';

/** What an update says beside a new template, and who scales. */
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
  autoscaler: {
    variants: {
      maximum: (draft) => {
        draft.maximum = draft.plan.replicas;
      },
    },
    kinds: ['Deployment', 'StatefulSet', 'ReplicaSet'],
    actions: ['scale'],
  },
  'stateful-set': {
    variants: {
      parallel: ({ manner }) => void manner.add('Parallel'),
      'on-delete': ({ manner }) => void manner.add('OnDelete'),
      partition: ({ manner }) => void manner.add('partition'),
      'parallel-partition': ({ manner }) => void manner.add('partition').add('Parallel'),
    },
    kinds: ['StatefulSet'],
  },
  'cron-job': {
    variants: {
      forbid: ({ manner }) => void manner.add('Forbid'),
      replace: ({ manner }) => void manner.add('Replace'),
    },
    kinds: ['CronJob'],
  },
};
