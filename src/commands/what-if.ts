import { storageMatrix } from '../facts/storage-backend.ts';
import { print } from '../lint/output.ts';
import { progressOn } from '../lint/progress.ts';
import { ZONE } from '../objects/zone.ts';
import { oneLine } from '../one-line.ts';
import { printedJson } from '../report/printed-json.ts';
import { unseenLines } from '../report/scan-text.ts';
import { rules } from '../rules/index.ts';
import { workloadsOf } from '../scan/scan.ts';
import { UsageError } from '../usage-error.ts';
import { type AddedNode, ifNodeIsAdded } from '../what-if/add-node.ts';
import type { Answer } from '../what-if/answer.ts';
import { addedNodeText, answerText, type Line } from '../what-if/answer-text.ts';
import { ifDrained } from '../what-if/drain.ts';
import { ifFails } from '../what-if/fail.ts';
import { nodesIn } from '../what-if/nodes-as-now.ts';
import type { ClusterOptions, Surroundings } from './command.ts';
import { dumpedNow, liveNow, type ReadNow } from './what-if-objects.ts';

/** What may happen. */
export type Happening =
  | { readonly type: 'drain'; readonly node: string }
  | { readonly type: 'fail'; readonly node: string | undefined; readonly zone: string | undefined }
  | { readonly type: 'add-node'; readonly like: string | undefined };

export interface WhatIfOptions extends ClusterOptions {
  readonly from?: string;
  readonly format?: string;
}

type WhatIfSurroundings = Pick<Surroundings, 'stdout' | 'stderr' | 'stopRequested'> & { readonly now: () => number };

/** Tells what the controllers will do with what runs now. Rejects with UsageError where it was asked for in a wrong way. */
export async function whatIf(
  happening: Happening,
  options: WhatIfOptions,
  surroundings: WhatIfSurroundings,
): Promise<number> {
  const { format = 'text' } = options;
  if (format !== 'text' && format !== 'json') throw new UsageError(`--format must be text or json, not ${format}`);
  if (happening.type === 'fail' && (happening.node === undefined) === (happening.zone === undefined))
    throw new UsageError('name one node, or the zone by --zone');
  const read = await readFrom(options, surroundings);
  const { unseen, unreadable } = read;
  const answer = answered(happening, read);
  const text = format === 'json' ? jsonOf(answer, read) : textOf(answer);
  await print(surroundings.stdout, text);
  const unread = unreadable.map(({ file, line, because }) => `${file}:${line}: ${because}`);
  await print(
    surroundings.stderr,
    [...unseenLines({ unseen }), ...unread].map((line) => `rwo-guard: ${oneLine(line)}\n`).join(''),
  );
  return 0;
}

async function readFrom(
  { from, kubeconfig, context }: WhatIfOptions,
  { stderr, now, stopRequested }: WhatIfSurroundings,
): Promise<ReadNow> {
  if (from !== undefined) return dumpedNow(from);
  const choice = { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) };
  const progress = progressOn(stderr, now);
  try {
    return await liveNow({ ...choice, signal: stopRequested(), progress: progress.objects });
  } finally {
    progress.done();
  }
}

type Told =
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'added'; readonly added: AddedNode };

function answered(happening: Happening, { cluster, state }: ReadNow): Told {
  const matrix = storageMatrix();
  switch (happening.type) {
    case 'drain':
      requireNode(happening.node, cluster);
      return { type: 'answer', answer: ifDrained(happening.node, cluster, matrix) };
    case 'fail': {
      const { node, zone = '' } = happening;
      if (node !== undefined) requireNode(node, cluster);
      const nodes = node === undefined ? nodesOfZone(zone, cluster) : [node];
      const event = node === undefined ? `zone ${zone} fails (${nodes.join(', ')})` : `${node} fails`;
      return { type: 'answer', answer: ifFails(event, nodes, cluster, matrix) };
    }
    case 'add-node': {
      const { like } = happening;
      if (like !== undefined) requireNode(like, cluster);
      const workloads = workloadsOf(state);
      return { type: 'added', added: ifNodeIsAdded({ snapshot: state, workloads, matrix, rules, like }) };
    }
    default:
      return happening satisfies never;
  }
}

function requireNode(name: string, { snapshot }: ReadNow['cluster']): void {
  const nodes = snapshot.nodes();
  if (nodes.known && nodes.value.get(name) === undefined) throw new UsageError(`there is no node ${name}`);
}

function nodesOfZone(zone: string, { snapshot }: ReadNow['cluster']): readonly string[] {
  const nodes = snapshot.nodes();
  const found = (nodes.known ? nodesIn(nodes.value) : []).filter(({ labels }) => labels.get(ZONE) === zone);
  if (found.length === 0) throw new UsageError(`no node has the label ${ZONE}=${zone}`);
  return found.map(({ name }) => name).sort();
}

function jsonOf(told: Told, { unseen, unreadable }: ReadNow): string {
  switch (told.type) {
    case 'answer':
      return printedJson({ ...told.answer, unseen, unreadable });
    case 'added': {
      const { armed, ...added } = told.added;
      const findings = armed.map(({ finding: { rule, severity, object, claims, reason, why, fix }, like }) => ({
        ...{ rule: rule.id, severity, resource: object, claims, message: `${reason}: ${why}`, fix: fix.written, like },
      }));
      return printedJson({ event: 'a node joins', ...added, armed: findings, unseen, unreadable });
    }
    default:
      return told satisfies never;
  }
}

function textOf(told: Told): string {
  const lines: readonly Line[] = told.type === 'answer' ? answerText(told.answer) : addedNodeText(told.added);
  return lines
    .map(([indent, text]) => `${' '.repeat(indent)}${oneLine(text)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}
