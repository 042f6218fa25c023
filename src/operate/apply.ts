import type { Time } from '../cluster/time.ts';
import { type Action, wordsOf } from '../recovery/action.ts';
import type { ClaimRef, ClaimUse } from '../recovery/claim-use.ts';
import { diagnose } from '../recovery/diagnose.ts';
import { CASES, type Case, type Diagnosis } from '../recovery/diagnosis.ts';
import { hasSettled } from '../recovery/has-settled.ts';
import type { Next } from '../recovery/next.ts';
import { isOfNode, nextStep } from '../recovery/next-step.ts';
import { RECOVERY } from '../recovery/record.ts';
import type { Mandate } from '../recovery/refusals.ts';
import { type Hands, perform } from './perform.ts';
import { readClaimUse } from './read-claim-use.ts';

export interface Applying {
  readonly hands: Hands;
  readonly time: Time;
  readonly claim: ClaimRef;
  readonly mandate: Mandate;
  readonly timeoutMs: number;
  /** Takes a line of progress. */
  readonly say: (line: string) => void;
}

/** How it ended. `again` is whether running it once more goes on where this stopped. */
export interface Applied {
  readonly done: boolean;
  readonly because: string;
  readonly again: boolean;
}

/** Between two looks: what is waited for takes seconds to minutes, and each look reads the lists anew. */
const LOOK_MS = 1_000;

/** Where reading takes long, the API server is to have as much rest as work, and again as much. */
const REST = 2;

/** A write that had to be repeated so often is undone by somebody, who would go on for longer. */
const MOST_ATTEMPTS = 3;

/** The same write in vain because somebody else wrote meanwhile; nobody writes that often for long. */
const MOST_CONFLICTS = 20;

/** After this long another trouble than the one of the beginning is here to stay. */
const SETTLES_WITHIN_MS = 60_000;

/**
 * Reads, decides, writes once, and reads again, until nothing is left to do. It remembers nothing that would have to survive: after a
 * crash the next run decides by what is there.
 */
export async function apply(applying: Applying): Promise<Applied> {
  const { hands, time, timeoutMs, say } = applying;
  const end = time.now() + timeoutMs;
  const attempts = new Map<string, number>();
  let waitedFor = '';
  let writing: Action | undefined;
  let hasFreed = false;
  let first: Case | undefined;
  while (!hands.signal.aborted) {
    const lookedAt = time.now();
    const use = await look(applying);
    const lookedFor = time.now() - lookedAt;
    const next = nextStep(use, applying.mandate);
    if (writing !== undefined && !isSame(next, writing)) {
      say(`  done, and read back: ${wordsOf(writing)}`);
      if (writing.type === 'close') return settled(applying, end);
      writing = undefined;
    }
    const { case: id } = diagnose(use);
    first ??= id;
    if (hasFreed && !isOfNode(id)) return settled(applying, end);
    if (next.type === 'do' && begins(next.action, use) && id !== first)
      return { done: false, because: `it is another case by now [${id}]: read its plan first`, again: false };
    if (next.type === 'done') return { done: true, because: next.words, again: false };
    if (next.type === 'refuse') return { done: false, because: next.because.join('\n'), again: false };
    if (time.now() >= end) return { done: false, because: `not within the time: ${wordsFor(next)}`, again: true };
    if (next.type === 'wait') {
      if (next.for !== waitedFor) say(`wait for ${next.for}`);
      waitedFor = next.for;
      await rest(applying, lookedFor);
      continue;
    }
    const { action } = next;
    const words = wordsOf(action);
    say(words);
    const written = await perform(hands, action);
    if (written.type === 'refused') return { done: false, because: `${words}: ${written.because}`, again: true };
    if (written.type === 'written') {
      for (const warning of written.warnings) say(`  warning: ${warning}`);
      hasFreed ||= action.type === 'out-of-service' || action.type === 'delete-attachment';
      writing = action;
    }
    const key = `${written.type} ${words}`;
    attempts.set(key, (attempts.get(key) ?? 0) + 1);
    if ((attempts.get(key) ?? 0) > (written.type === 'written' ? MOST_ATTEMPTS : MOST_CONFLICTS))
      return { done: false, because: `${words}: somebody undoes it again and again; have it wait first`, again: true };
    if (written.type === 'conflict') await rest(applying, lookedFor);
  }
  return { done: false, because: 'it was stopped', again: true };
}

function isSame(next: Next, action: Action): boolean {
  return next.type === 'do' && wordsOf(next.action) === wordsOf(action);
}

/** Whether it is the first write of a recovery, of which nothing is noted yet. */
function begins(action: Action, { claim }: ClaimUse): boolean {
  return action.type === 'record' && claim.known && !claim.value?.metadata.annotations.has(RECOVERY);
}

/** Nothing is written any more: what was started comes up, or what is in its way now is told. */
async function settled(applying: Applying, end: number): Promise<Applied> {
  const { hands, time, say } = applying;
  const since = time.now();
  say('wait for its pods to come up');
  let diagnosis: Diagnosis | undefined;
  while (!hands.signal.aborted) {
    const lookedAt = time.now();
    const use = await look(applying);
    const lookedFor = time.now() - lookedAt;
    diagnosis = diagnose(use);
    if (hasSettled(use, diagnosis)) return { done: true, because: 'recovered', again: false };
    if (time.now() >= end || time.now() - since > SETTLES_WITHIN_MS) break;
    await rest(applying, lookedFor);
  }
  const now = diagnosis === undefined ? '' : `: ${CASES[diagnosis.case]} [${diagnosis.case}]`;
  return { done: false, because: `everything was put back, and its pods are not all up${now}`, again: false };
}

function rest({ hands, time }: Applying, lookedFor: number): Promise<void> {
  return time.sleep(Math.max(LOOK_MS, REST * lookedFor), hands.signal);
}

function look({ hands, time, claim }: Applying): Promise<ClaimUse> {
  return readClaimUse({ connection: hands.connection, now: () => time.now(), signal: hands.signal }, claim);
}

function wordsFor(next: Next): string {
  if (next.type === 'wait') return `it still waits for ${next.for}`;
  return next.type === 'do' ? `it was about to ${wordsOf(next.action)}` : '';
}
