import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { playAttacher } from './attacher.ts';
import { differencesFrom, differencesText } from './differential.ts';
import { fixtureOf } from './fixture.ts';
import { planOf } from './generate.ts';
import { Kubelets } from './kubelet/kubelets.ts';
import { type Options, optionsFrom } from './options.ts';
import type { Plan } from './plan.ts';
import { disagreementsIn, play, type Result, unplayed } from './play.ts';
import { inParallel } from './pool.ts';
import { playProvisioner } from './provisioner.ts';
import { randomFrom } from './random.ts';
import { lineOf, lineText, summaryOf, summaryText, writeReport } from './report.ts';
import { startScheduler } from './scheduler.ts';
import { shrunk } from './shrink.ts';
import type { Stage } from './stage.ts';
import { Watches } from './watches.ts';
import { World } from './world.ts';

/** Each of them tries half a dozen scenarios at once. */
const SHRUNK_AT_ONCE = 5;

/** They begin when a minute ends, all of these together, and do nothing but wait for the rest of it. */
const CRON_JOBS_AT_ONCE = 20;

const options = optionsFrom(process.argv.slice(2));
process.exitCode = (await disagreements()) > 0 ? 1 : 0;

async function disagreements(): Promise<number> {
  if (options.differential !== undefined) {
    const differences = await differencesFrom(options.differential, plansFor(options));
    process.stdout.write(differencesText(differences));
    return differences.groups.length;
  }
  const results = options.dry ? [...plansFor(options)].map(unplayed) : await onControlPlane(options);
  if (options.json !== undefined) await writeReport(options.json, results);
  const summary = summaryOf(results);
  process.stdout.write(summaryText(summary));
  return summary.disagreements;
}

async function onControlPlane({ seed }: Options): Promise<readonly Result[]> {
  const controlPlane = await startControlPlane({
    controllerManager: true,
    kwok: { pods: false, volumeAttachments: false },
    flags: {
      // Pods need no token, and a service account for each namespace is what they would be waiting for.
      'kube-apiserver': ['--disable-admission-plugins=ServiceAccount'],
      // It looks at every volume each time, and there are thousands.
      'kube-controller-manager': ['--pvclaimbinder-sync-period=5s'],
    },
  });
  const stopScheduler = await startScheduler(controlPlane);
  const watches = await Watches.of(controlPlane);
  const world = new World(watches);
  const kubelet = controlPlane.apiAs({ user: 'system:node:oracle', groups: ['system:nodes'] });
  const chance = randomFrom(seed);
  playAttacher(kubelet, world, chance);
  playProvisioner(controlPlane.api, world);
  const kubelets = new Kubelets(kubelet, world, chance);
  const played = await run({ api: controlPlane.api, world }, options);
  kubelets.stop();
  await stopScheduler();
  await watches.close();
  await kubelet.close();
  await controlPlane.stop();
  return played;
}

async function run(stage: Stage, { atOnce, shrink, remedies, fixtures }: Options): Promise<readonly Result[]> {
  const since = Date.now();
  const plans = [...plansFor(options)];
  let done = 0;
  const playOne = async (plan: Plan): Promise<Result> => {
    const result = await play(stage, plan, { remedies });
    done++;
    const seconds = Math.round((Date.now() - since) / 1000);
    process.stderr.write(`${seconds} s, ${done} of ${plans.length}: ${plan.id}, ${result.seconds} s\n`);
    process.stdout.write(`${lineText(lineOf(result))}\n`);
    return result;
  };
  const isCronJob = ({ kind }: Plan): boolean => kind === 'CronJob';
  const [cronJobs, rest] = await Promise.all([
    inParallel(plans.filter(isCronJob), CRON_JOBS_AT_ONCE, playOne),
    inParallel(
      plans.filter((plan) => !isCronJob(plan)),
      atOnce,
      playOne,
    ),
  ]);
  const order = new Map(plans.map(({ id }, index) => [id, index]));
  const played = [...cronJobs, ...rest].toSorted((a, b) => (order.get(a.plan.id) ?? 0) - (order.get(b.plan.id) ?? 0));
  const confirmed = await inParallel(played, SHRUNK_AT_ONCE, (result) => confirmedBy(stage, result));
  const wrong = confirmed.filter((one) => disagreementsIn(one).length > 0);
  await inParallel(wrong, SHRUNK_AT_ONCE, async (result) => {
    const { plan, acts } = shrink ? await shrunk(stage, result) : result;
    for (const act of acts.filter(({ disagreements }) => disagreements.length > 0)) {
      const fixture = `# DISAGREEMENT on ${act.disagreements.join(', ')}\n${fixtureOf(plan, act)}`;
      process.stdout.write(`\n${fixture}\n`);
      if (fixtures === undefined) continue;
      await mkdir(fixtures, { recursive: true });
      await writeFile(join(fixtures, `${result.plan.id}.yaml`), fixture);
    }
  });
  return confirmed;
}

/** What a busy machine does once, it does not do again when little else is played; who is right is not told by such a scenario. */
async function confirmedBy(stage: Stage, result: Result): Promise<Result> {
  const once = disagreementsIn(result);
  if (once.length === 0) return result;
  const { plan } = result;
  const again = await play(
    stage,
    { ...plan, id: `${plan.id}-again` },
    { remedies: once.includes('remedy did not help') },
  );
  if (again.refused !== undefined || disagreementsIn(again).length > 0) return result;
  return { ...again, plan, refused: 'it disagreed once and not again', detail: once.join(', '), acts: [] };
}

/** One after the other, as there may be a million. */
function* plansFor({ seed, count, only, plans, ...generator }: Options): Generator<Plan> {
  yield* plans;
  if (plans.length > 0) return;
  for (const id of only) {
    const [ofSeed = 0, index = 0] = id.split('-').map(Number);
    yield planOf(ofSeed, index, generator);
  }
  if (only.length > 0) return;
  for (let index = 0; index < count; index++) yield planOf(seed, index, generator);
}
