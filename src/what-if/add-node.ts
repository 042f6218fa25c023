import { Budget } from '../budget.ts';
import { gatherFacts } from '../facts/gather.ts';
import type { StorageMatrix } from '../facts/storage-backend.ts';
import { RecurringAnswers } from '../forecast/recurring-answers.ts';
import type { Node } from '../objects/node.ts';
import { holdsVolumes, type Workload } from '../objects/workload.ts';
import { type Finding, isIn } from '../rules/evaluate.ts';
import { judge } from '../rules/judge.ts';
import type { Rule } from '../rules/rule.ts';
import type { NodeIndex } from '../snapshot/node-index.ts';
import type { ClusterSnapshot } from '../snapshot/snapshot.ts';
import { WithNodes } from './nodes-as-now.ts';

/** What can go wrong with one node more that cannot go wrong now. */
export interface Armed {
  readonly finding: Finding;
  /** The nodes that the new one is like, one for each kind. */
  readonly like: readonly string[];
}

export interface AddedNode {
  readonly armed: readonly Armed[];
  /** One node of each kind that was taken for a model. */
  readonly models: readonly string[];
  readonly workloads: number;
  readonly notes: readonly string[];
}

interface Asked {
  readonly snapshot: ClusterSnapshot;
  readonly workloads: readonly Workload[];
  readonly matrix: StorageMatrix;
  readonly rules: readonly Rule[];
  /** The node that the new one is like; else one of each of the most common kinds. */
  readonly like: string | undefined;
}

/** So many kinds of nodes are tried, the most common first. */
const MOST_KINDS = 4;

/** Judges every workload that holds volumes with and without one more node. */
export function ifNodeIsAdded({ snapshot, workloads, matrix, rules, like }: Asked): AddedNode {
  const nodes = snapshot.nodes();
  if (!nodes.known) return { armed: [], models: [], workloads: 0, notes: [nodes.because] };
  const { models, left } = modelsIn(nodes.value, like);
  const more = models.map((model) => ({
    name: model.name,
    grown: judgeIn(new WithNodes(snapshot, (node) => node, [anotherLike(model, nodes.value)]), matrix, rules),
  }));
  const asIs = judgeIn(snapshot, matrix, rules);
  const armed: Armed[] = [];
  const judged = workloads.filter(holdsVolumes);
  for (const workload of judged) {
    const now = asIs(workload);
    const then = more.map(({ name, grown }) => ({ name, findings: grown(workload) }));
    for (const { finding, like: models } of merged(then))
      if (!isIn(finding, now)) armed.push({ finding, like: models });
  }
  const notes = left === 0 ? [] : [`${left} rarer kinds of nodes were left out: name one of them by --like`];
  return { armed, models: models.map(({ name }) => name), workloads: judged.length, notes };
}

/** What the rules find in a workload of one cluster; workloads that are alike are judged once. */
function judgeIn(
  snapshot: ClusterSnapshot,
  matrix: StorageMatrix,
  rules: readonly Rule[],
): (workload: Workload) => readonly Finding[] {
  const answers = new RecurringAnswers();
  return (workload) => {
    const budget = new Budget();
    const found = budget.answer(() => {
      const { facts } = gatherFacts(workload, snapshot, matrix, budget);
      return judge({ rules, answers }, facts);
    }, []);
    return found.filter(({ judges }) => judges !== 'open');
  };
}

/** Each finding once, with the kinds of nodes that bring it about. */
function merged(then: readonly { readonly name: string; readonly findings: readonly Finding[] }[]): readonly Armed[] {
  const all: { finding: Finding; like: string[] }[] = [];
  for (const { name, findings } of then) {
    for (const finding of findings) {
      const known = all.find((one) => isIn(finding, [one.finding]));
      if (known === undefined) all.push({ finding, like: [name] });
      else known.like.push(name);
    }
  }
  return all;
}

function modelsIn(index: NodeIndex, like: string | undefined) {
  const named = like === undefined ? undefined : index.get(like);
  if (named !== undefined) return { models: [named], left: 0 };
  const shapes = [...index.shapes()].toSorted((one, other) => other.size - one.size);
  const models = shapes.slice(0, MOST_KINDS).flatMap((shape) => [...shape.values()].slice(0, 1));
  return { models, left: Math.max(0, shapes.length - MOST_KINDS) };
}

/** A node of the same kind; what tells nodes of a kind from each other, such as the hostname, is its own. */
function anotherLike(model: Node, index: NodeIndex): Node {
  const name = `${model.name}-and-one-more`;
  const labels = [...model.labels].map(([label, value]) => [label, index.isIdentifying(label) ? name : value] as const);
  return { ...model, name, labels: new Map(labels), unschedulable: false };
}
