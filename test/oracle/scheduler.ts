import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programs } from '../control-plane/build.ts';
import { Component } from '../control-plane/component.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { startReaper } from '../control-plane/reaper.ts';

/**
 * Every filter as it is; of the scores only those by which the harness says what is worse. First come pods of the same
 * ReplicaSet, which go apart; then the taints by which the harness marks where old pods are; then nodes that are less
 * full. Preferences of the pods would leave the worst case to luck.
 *
 * Backoff is what a stuck pod would be waited for, and all nodes are scored because the worst may be the last.
 */
function configuration(kubeconfig: string): object {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig, qps: 1000, burst: 2000 },
    leaderElection: { leaderElect: false },
    percentageOfNodesToScore: 100,
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 1,
    profiles: [
      {
        schedulerName: 'default-scheduler',
        plugins: {
          score: {
            disabled: [{ name: '*' }],
            enabled: [
              { name: 'PodTopologySpread', weight: 100 },
              { name: 'TaintToleration', weight: 10 },
              { name: 'NodeResourcesFit', weight: 1 },
            ],
          },
        },
      },
    ],
  };
}

/** The real scheduler, told which of the nodes that pass its filters to take; gives what ends it. */
export async function startScheduler(controlPlane: ControlPlane): Promise<() => Promise<void>> {
  const { path } = await programs(['kube-scheduler']);
  const kubeconfig = await controlPlane.kubeconfigFor({ user: 'system:kube-scheduler' });
  const config = join(controlPlane.folder, 'scheduler.json');
  await writeFile(config, JSON.stringify(configuration(kubeconfig)));
  const reaper = startReaper({ signal: 'KILL' });
  const component = new Component(
    {
      name: 'kube-scheduler',
      program: path['kube-scheduler'],
      args: [`--config=${config}`, '--secure-port=0'],
      logFile: join(controlPlane.folder, 'kube-scheduler.log'),
      home: controlPlane.folder,
      // It serves nothing here; the first scenario shows that it runs.
      probe: async () => undefined,
    },
    reaper,
  );
  await component.start();
  return async () => {
    await component.kill();
    await reaper.stop();
  };
}
