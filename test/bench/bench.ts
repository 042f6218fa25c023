/** Prints what a decision costs, beside what it is compared with. Nothing here passes or fails. */
import { USUAL } from './cluster.ts';
import { measureDecisions } from './decision.ts';
import { compareHttps } from './https.ts';
import { measureLint } from './lint.ts';
import { measureScan } from './scan.ts';
import { printStarts } from './start.ts';
import { printWorst } from './worst.ts';
import { printWorstLint } from './worst-lint.ts';

if (process.argv[2] === 'worst') {
  await printWorst();
  await printWorstLint();
  process.exit();
}

if (process.argv[2] === 'start') {
  await printStarts();
  process.exit();
}

if (process.argv[2] === 'scan') {
  await printScan();
  process.exit();
}

const usual = await measureDecisions(USUAL);
for (const [operation, { whole, parsing }] of Object.entries(usual)) {
  print(
    `a decision on ${operation}, from text to text`,
    `${whole.median.toFixed(0)} µs median, ${whole.p99.toFixed(0)} µs p99; parsing ${parsing.median.toFixed(0)} and ${parsing.p99.toFixed(0)} µs`,
  );
}

const small = await measureDecisions({ nodes: 10, claims: 1_000 });
const large = await measureDecisions({ nodes: 5_000, claims: 100_000 });
for (const operation of ['CREATE', 'UPDATE'] as const) {
  const growth = large[operation].whole.median / small[operation].whole.median;
  print(`${operation} with 5,000 nodes and 100,000 claims over 10 and 1,000`, `${growth.toFixed(2)} ×`);
}

const https = await compareHttps(USUAL);
print('HTTPS review, CPU', `${https.ours.toFixed(0)} µs; bare Fastify ${https.bare.toFixed(0)} µs`);
print('HTTPS reviews per second and core', `${https.ratio.toFixed(2)} × bare`);

const lint = await measureLint(1_000);
print(
  'lint of 1,000 files, a Deployment and a claim each',
  `${lint.all.toFixed(0)} ms, ${lint.memory.toFixed(0)} MB; parsing alone ${lint.parsing.toFixed(0)} ms (${lint.ratio.toFixed(2)} ×)`,
);
print('lint of as many in which each object stands twice', `${lint.twice.toFixed(2)} ×`);
print('lint of one of them', `${lint.one.toFixed(0)} ms`);

await printScan();

async function printScan(): Promise<void> {
  const { milliseconds, memory } = await measureScan();
  print(
    'scan of 5,000 workloads, nodes, 100,000 claims, volumes, pods',
    `${(milliseconds / 1_000).toFixed(1)} s, ${memory.toFixed(0)} MB`,
  );
}

function print(what: string, value: string): void {
  process.stdout.write(`${what.padEnd(58)} ${value}\n`);
}
