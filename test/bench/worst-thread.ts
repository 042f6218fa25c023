/**
 * Answers one worst request after the other in a thread of its own, so that one that never ends can be stopped, and tells
 * the processor time of each.
 */
import { parentPort } from 'node:worker_threads';
import { admissionOver } from '../worst/admission.ts';
import { worstCluster } from '../worst/cluster.ts';
import { reviewOf } from './cluster.ts';
import { median } from './median.ts';

/** A review as text, and the path that it is sent to. */
export interface Asked {
  readonly door: 'validate' | 'mutate';
  readonly text: string;
}

/** Milliseconds of processor time, the median and the most of some rounds, from the parsed body to the text of the answer, and what the answer says. */
export interface Measured {
  readonly typical: number;
  readonly most: number;
  readonly verdict: string;
  readonly answerBytes: number;
}

const ROUNDS = 9;

/** One that takes longer than this is bad enough to be asked once. */
const ENOUGH_MS = 500;

const admission = admissionOver(worstCluster());
const { signal } = new AbortController();

// A replica that has just started compiles as it goes: that is no matter of the request.
for (let n = 0; n < 2_000; n++) await admission.validate(JSON.parse(reviewOf(n)), signal);

parentPort?.on('message', (asked: Asked) => void measured(asked).then((result) => parentPort?.postMessage(result)));
parentPort?.postMessage('ready');

async function measured({ door, text }: Asked): Promise<Measured> {
  const times: number[] = [];
  let answer = '';
  let verdict = '';
  for (let round = 0; round < ROUNDS; round++) {
    const body: unknown = JSON.parse(text);
    const before = process.cpuUsage();
    const { review, observation } = await admission[door](body, signal);
    answer = JSON.stringify(review);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
    verdict = [
      observation.verdict,
      ...new Set(observation.findings.map(({ rule }) => rule)),
      ...observation.mutations,
    ].join(' ');
    if (user + system > ENOUGH_MS * 1_000) break;
  }
  return { typical: median(times), most: Math.max(...times), verdict, answerBytes: Buffer.byteLength(answer) };
}
