import type { Claim } from '../facts/claim.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { Workload } from '../objects/workload.ts';
import type { Assumption } from './assumption.ts';
import { podsFrom } from './cluster.ts';
import type { Controller } from './controllers/controller.ts';
import { controllerOf, type Revisions } from './controllers/controllers.ts';
import { replicaSet, together } from './controllers/replica-set.ts';
import { mostPodsOf } from './fewer-replicas.ts';
import { allHaveNodes, nothing, placesIn, runningAt, scaledDown, scaledUp, startsOfOthers } from './initial-states.ts';
import { endingOthers, othersOf } from './other-pods.ts';
import type { SharedWith } from './outcome.ts';
import type { OtherPods } from './parts.ts';
import { type Answer, ask, ended, type Question } from './question.ts';
import { AFTER, areAlike, BEFORE, NEXT, OLDER, templatesOf } from './revisions.ts';
import type { Running } from './running.ts';
import { sharedWith } from './shared-with.ts';
import { nodeOf, type State } from './state.ts';
import { type World, worldOf } from './world.ts';

export interface Asking {
  readonly assumption: Assumption;
  readonly most: number;
  readonly takesAtOnce: boolean;
  /** Whether pods of Jobs end by themselves. */
  readonly podsEnd: boolean;
}

/** The update that is asked for. */
const UPDATE: Revisions = { from: BEFORE, to: AFTER, older: OLDER };

/** From one run to the next. */
const RUN: Revisions = { from: AFTER, to: NEXT };

type Asked = Omit<Question, 'unknownIsHarmless' | 'takesAtOnce'>;

/** The questions about one workload, all in one world. */
export class Questions {
  readonly #facts: WorkloadFacts;
  readonly #running: Running;
  readonly #asking: Asking;
  readonly #world: World | undefined;
  readonly #others: readonly OtherPods[];
  /** Of pods that come where none of them are. */
  readonly #creations = new Map<string, Answer>();

  constructor(facts: WorkloadFacts, running: Running, asking: Asking) {
    const { places } = running;
    const { workload, claims } = facts;
    // Then those that run differ from those that come, whatever their templates say.
    const isBeingDeleted = claims.some(({ deleting }) => deleting);
    const before = running.before ?? (isBeingDeleted && places === undefined ? facts : undefined);
    const isSame = before !== undefined && places === undefined && !isBeingDeleted && areAlike(before, facts);
    this.#facts = facts;
    // What is asked of the same twice has the same answer.
    this.#running = isSame ? { places } : { before, places };
    this.#asking = asking;
    this.#others = othersOf(before === undefined || isSame ? [facts] : [facts, before]);
    const most = Math.max(asking.most, before?.workload.replicas ?? 0);
    this.#world = worldOf({
      own: templatesOf(facts, { before, places }, { isSame, most }),
      others: this.#others,
      places,
      mostPods: mostPodsOf(workload, most) + this.#others.length,
      assumption: asking.assumption,
      budget: facts.budget,
    });
  }

  get isLookedAt(): boolean {
    return this.#world !== undefined;
  }

  /** Its pods come; those of a Job end, too, where they are to. */
  creation(replicas: number, end = false): Answer {
    return this.#bounded(() => this.#creation(replicas, end));
  }

  #creation(replicas: number, end: boolean): Answer {
    const { before, places } = this.#running;
    const workload = { ...this.#facts.workload, replicas };
    const ending = [...this.#ending(), ...(end ? (this.#theWorld().own[AFTER] ?? []) : [])];
    if (places !== undefined && (before === undefined || workload.paused)) {
      const least = before?.workload.replicas ?? 0;
      const starts = this.#runningOf(AFTER, before === undefined ? replicas : least, least);
      return this.#created(AFTER, workload, starts, ending);
    }
    if (this.#others.length === 0 && !end) return this.#created(AFTER, workload);
    // The others may come when some of its pods are there already.
    const some = this.#others.length === 0 ? [] : this.#settled(AFTER, { ...workload, replicas: 1 });
    return this.#created(AFTER, workload, [...startsOfOthers(this.#theWorld()), ...some], ending);
  }

  /** The nodes on which all of its pods may be, each time they are created. */
  placesOnceCreated(): readonly ReadonlySet<string>[] {
    const { complete } = this.#created(AFTER, this.#facts.workload);
    return complete.map((state) => placesIn(state, this.#theWorld().own[AFTER] ?? [], this.#theWorld()));
  }

  /** Whether it is stuck only where its old pods are on several nodes. */
  oldPodsApart(): boolean {
    const { before } = this.#running;
    const world = this.#theWorld();
    const { podAffinity } = this.#facts.workload.template;
    if (before === undefined || podAffinity.length === 0 || before.workload.replicas < 2) return false;
    const starts = this.#before(before);
    const old = [...(world.own[BEFORE] ?? []), ...(world.own[OLDER] ?? [])];
    const together = starts.filter((state) => placesIn(state, old, world).size < 2);
    if (together.length === starts.length) return false;
    return this.#rolledOut(UPDATE, together).own.length === 0;
  }

  /** What others do to its pods counts where it is updated. */
  rollouts(): readonly Answer[] {
    const { before, places } = this.#running;
    const { workload } = this.#facts;
    const enough = before === undefined ? 'own-waits' : 'waits';
    const answers: Answer[] = [];
    if (before !== undefined) {
      answers.push(this.#bounded(() => this.#rolledOut(UPDATE, this.#before(before), enough)));
    }
    if (before === undefined || places === undefined) {
      const starts = (): readonly State[] =>
        places === undefined
          ? this.#settled(AFTER, workload)
          : this.#runningOf(AFTER, workload.replicas, workload.replicas);
      answers.push(this.#bounded(() => this.#rolledOut({ from: AFTER, to: NEXT }, starts(), enough)));
    }
    return answers;
  }

  /** A second run beside the first, or in its place. */
  nextRun(): Answer {
    const { workload } = this.#facts;
    return this.#bounded(() => {
      const whole = this.#created(AFTER, workload).complete;
      if (whole.length > 0 || workload.concurrencyPolicy !== 'Allow') return this.#rolledOut(RUN, whole);
      // Pods of one run wait for each other, and one of them may still meet the next run.
      const one = { ...workload, replicas: 1 };
      return this.#ask({ ...this.#rollout(RUN, this.#created(AFTER, one).complete, one), enough: 'own-waits' });
    });
  }

  /** What others do to its pods, as these answers tell, and where none of either runs. */
  sharedBy(answers: readonly Answer[]): readonly SharedWith[] {
    const waits = answers.flatMap(({ others }) => others);
    const others = this.#others.map(({ facts }, at) => ({ facts, podClass: this.#world?.others[at] ?? -1 }));
    const neither = others.filter(({ podClass }) => this.#isNobodyScheduled(podClass));
    return sharedWith(waits, { facts: this.#facts, others, neither, assumption: this.#asking.assumption });
  }

  /** Whether neither starts where none runs: each has to come to a pod of the other. */
  #isNobodyScheduled(podClass: number): boolean {
    const stuck = this.#besideNobody(podClass)?.stuck ?? [];
    const first = podsFrom(this.#theWorld().cluster);
    return stuck.some((state) => !state.slice(first).some((pod) => nodeOf(pod) >= 0));
  }

  /** By each other workload that is held to pods, whether a pod of it or one of this one comes where none runs. */
  besideNobody(): readonly Answer[] {
    return (this.#world?.others ?? []).flatMap((podClass) => this.#besideNobody(podClass) ?? []);
  }

  #besideNobody(podClass: number): Answer | undefined {
    const world = this.#theWorld();
    const { cluster } = world;
    const other = cluster.classes[podClass];
    if (this.#running.places !== undefined || !other?.claims.some(({ claim }) => this.#holds(claim))) return undefined;
    if (other.template.podAffinity.length === 0) return undefined;
    const own = controllerOf(world, { from: AFTER, to: AFTER }, { ...this.#facts.workload, replicas: 1 });
    const controller = together(own, replicaSet(cluster, new Map([[podClass, 1]])));
    return this.#ask({ world, starts: [nothing(world)], controller, old: [] });
  }

  #holds({ identity }: Claim): boolean {
    const { claims, budget } = this.#facts;
    budget.spend(claims.length);
    return claims.some((own) => own.identity === identity);
  }

  /** Where the old pods are, and more or fewer of them where the update scales too, which comes first. */
  #before(before: WorkloadFacts): readonly State[] {
    const world = this.#theWorld();
    const { replicas, kind } = this.#facts.workload;
    const old = before.workload.replicas;
    if (old === 0) return startsOfOthers(world);
    const starts =
      this.#running.places === undefined ? this.#standing(before.workload) : this.#runningOf(BEFORE, old, old);
    if (kind !== 'Deployment') return starts;
    const podClass = world.own[BEFORE]?.[0] ?? 0;
    const scaled = scaledDown(starts, podClass, old - replicas, world);
    return scaledUp(scaled, podClass, replicas - old, world);
  }

  /** Where all is done, or where the last update, or the creation, may have stopped if its pods are not all there. */
  #standing(workload: Workload): readonly State[] {
    const settled = this.#settled(BEFORE, workload);
    if (this.#theWorld().own[OLDER] === undefined) return settled;
    const last = this.#ask(this.#rollout({ from: OLDER, to: BEFORE }, this.#settled(OLDER, workload), workload));
    return [...settled, ...last.stuck, ...this.#created(BEFORE, workload).stuck];
  }

  #runningOf(template: number, replicas: number, least = 0): readonly State[] {
    const { places = new Set() } = this.#running;
    const world = this.#theWorld();
    const classes = world.own[template] ?? [];
    return startsOfOthers(
      world,
      runningAt(places, { classes, least, most: replicas, kind: this.#facts.workload.kind }, world),
    );
  }

  /** Where all its pods are ready, or wait for a volume on their nodes, whoever came first; else wherever it stops. */
  #settled(template: number, workload: Workload): readonly State[] {
    const world = this.#theWorld();
    const beside = this.#created(template, workload);
    const alone = this.#others.length === 0 ? undefined : this.#created(template, workload, [nothing(world)]);
    const scheduled = [
      ...ended(beside).filter((state) => allHaveNodes(state, world)),
      ...startsOfOthers(world, alone === undefined ? [] : ended(alone).filter((state) => allHaveNodes(state, world))),
    ];
    if (scheduled.length > 0) return scheduled;
    return [...ended(beside), ...startsOfOthers(world, alone === undefined ? [] : ended(alone))];
  }

  #created(template: number, workload: Workload, starts?: readonly State[], ending: readonly number[] = []): Answer {
    const key = `${template} ${workload.replicas}`;
    const known = starts === undefined ? this.#creations.get(key) : undefined;
    if (known !== undefined) return known;
    const world = this.#theWorld();
    const controller = controllerOf(world, { from: template, to: template }, workload);
    const answer = this.#ask({ world, starts: starts ?? startsOfOthers(world), controller, old: [], ending });
    if (starts === undefined) this.#creations.set(key, answer);
    return answer;
  }

  #rolledOut(revisions: Revisions, starts: readonly State[], enough: Question['enough'] = 'own-waits'): Answer {
    return this.#ask({ ...this.#rollout(revisions, starts), enough });
  }

  #rollout(revisions: Revisions, starts: readonly State[], workload = this.#facts.workload): Asked {
    const world = this.#theWorld();
    const from = [...(world.own[revisions.from] ?? []), ...(world.own[revisions.older ?? -1] ?? [])];
    const controller = controllerOf(world, revisions, workload);
    return {
      world,
      starts,
      controller,
      old: from,
      ending: this.#ending(),
    };
  }

  /** Pods of others that end some time. */
  #ending(): readonly number[] {
    return this.#asking.podsEnd ? endingOthers(this.#theWorld(), this.#theWorld().own[AFTER]?.[0] ?? 0) : [];
  }

  #ask(question: Asked): Answer {
    const { assumption, takesAtOnce } = this.#asking;
    return ask({ ...question, takesAtOnce, unknownIsHarmless: assumption === 'harmless' });
  }

  /** What one question answers, or that nothing was found where the budget ends before it does. */
  #bounded(question: () => Answer): Answer {
    return this.#facts.budget.answer(question, this.#nothingFound());
  }

  #nothingFound(): Answer {
    const { assumption, takesAtOnce } = this.#asking;
    const nobody: Controller = { create: () => [], end: () => [] };
    const asked = { world: this.#theWorld(), starts: [], controller: nobody, old: [], takesAtOnce };
    const question: Question = { ...asked, unknownIsHarmless: assumption === 'harmless' };
    return { multiAttach: [], own: [], others: [], complete: [], stuck: [], isWhole: false, question };
  }

  #theWorld(): World {
    if (this.#world === undefined) throw new Error('It is asked only where it is looked at');
    return this.#world;
  }
}
