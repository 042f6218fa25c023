/** Sends malformed and hostile requests to the built server, and says what came of them. Exits with 1 if anything is wrong. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { legalReviews } from './legal.ts';
import { runHostile } from './run.ts';
import { shippedLimits } from './server.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    count: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '16' },
    program: { type: 'string', default: join(import.meta.dirname, '../../dist/rwo-guard.js') },
    keep: { type: 'string' },
  },
});
const [seed, first, count, connections] = [values.seed, values.first, values.count, values.connections].map(Number);
if ([seed, first, count, connections].some((number) => number === undefined || !Number.isSafeInteger(number))) {
  throw new Error('--seed, --first, --count and --connections take whole numbers');
}

const MIB = 1024 ** 2;
const inMib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;
const limits = shippedLimits();
print(`seed ${seed}, requests ${first} to ${(first ?? 0) + (count ?? 0) - 1}, ${connections} connections`);
print(`heap ${inMib(limits.heap)} of ${inMib(limits.memory)}, as the manifests ship it`);

const began = performance.now();
const run = await runHostile(legalReviews(), {
  program: values.program,
  seed: seed ?? 1,
  first: first ?? 0,
  count: count ?? 0,
  connections: connections ?? 16,
  keep: values.keep,
  progress: (sent, bytes) =>
    print(`  ${sent} sent, ${inMib(bytes)}, ${((performance.now() - began) / 1000).toFixed(0)} s`),
});

print(
  `${run.sent} sent; ${[...run.answers]
    .sort()
    .map(([status, times]) => `${status}: ${times}`)
    .join(', ')}`,
);
print(`${run.hazardsDenied} hazards between them, all denied unless told below`);
print(`longest answer ${run.longestAnswer} bytes`);
const { warm, most, end } = run.memory;
print(`memory after warm-up ${inMib(warm)}, at most ${inMib(most)}, in the end ${inMib(end)}`);
if (run.crashed) print('the server ended');
for (const [problem, indexes] of run.problems)
  print(`${problem}: ${indexes.length} times, first ${indexes.slice(0, 5).join(', ')}`);
if (run.crashed || run.problems.size > 0 || most > limits.memory) process.exitCode = 1;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
