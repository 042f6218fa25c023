import { known } from '../objects/fact.ts';
import type { Workload } from '../objects/workload.ts';
import { type Finding, openFindings } from '../rules/evaluate.ts';
import { judge } from '../rules/judge.ts';
import { type Context, gatherLive } from './context.ts';
import { judgedOfMaker } from './judge-maker.ts';
import { type Judgement, judgement } from './judge-workload.ts';
import { replicasBefore } from './replicas-before.ts';
import type { Subject } from './subject.ts';
import { gatherWorkload, withReplicas } from './workload-findings.ts';

type ScaleSubject = Subject & { readonly type: 'scale' };

/**
 * `scale` carries no template, so the workload is read. Where pods of it may be running, only what replicas do to each other is
 * judged; a start from nothing is judged like creation.
 */
export async function judgeScale(context: Context, subject: ScaleSubject): Promise<Judgement> {
  const { rules } = context.deps;
  const { namespace = '', name = '' } = context.request;
  const found = await scaledWorkload(context, subject);
  if (!found.known || found.value === undefined) {
    const because = found.known ? `${subject.kind} ${namespace}/${name} does not exist` : found.because;
    const judged = {
      found: openFindings(rules, { kind: subject.kind, namespace, name }, [because]),
      existing: [],
      exemptions: [],
      notes: [],
      deniable: true,
    };
    return { judged, namespaceLabels: known(new Map()) };
  }
  const workload = { ...found.value, replicas: subject.replicas, paused: false };
  const maker = await judgedOfMaker(context, workload);
  const facts = await gatherWorkload(context, workload);
  const starts = isStart(subject, workload);
  const judging = starts ? rules : rules.filter(({ judges }) => judges === 'steady' || judges === 'open');
  const at = (replicas: number): readonly Finding[] => {
    const scaled = withReplicas(facts, replicas);
    return judge({ ...context.judge, rules: judging }, scaled);
  };
  const goesBack = subject.replicas <= replicasBefore(workload);
  const before = starts ? [] : at(goesBack ? subject.replicas : subject.previousReplicas);
  return judgement(context, { facts: withReplicas(facts, subject.replicas), now: at(subject.replicas), before }, maker);
}

/** Whether nothing ran and nothing is gone back to. A paused Deployment is scaled as well, by its last ReplicaSet. */
function isStart({ previousReplicas, observedReplicas }: ScaleSubject, workload: Workload): boolean {
  return previousReplicas === 0 && observedReplicas === 0 && replicasBefore(workload) === 0;
}

/**
 * The object that is scaled: a template that the watch has not brought yet is read from the API server, which the version tells
 * that the review names. Where that gives no answer the watched one is better than none.
 */
async function scaledWorkload(context: Context, { kind, resourceVersion }: ScaleSubject) {
  const { namespace = '', name = '' } = context.request;
  const watched = context.deps.snapshot.get(kind, namespace, name);
  const live = await gatherLive(context, (snapshot) => {
    const workload = snapshot.get(kind, namespace, name);
    const version = workload.known ? workload.value?.resourceVersion : undefined;
    const isCurrent = version !== undefined && (version === resourceVersion || [version, resourceVersion].includes(''));
    return { facts: workload, missed: isCurrent ? [] : [{ kind, namespace, name }] };
  });
  return live.known ? live : watched;
}
