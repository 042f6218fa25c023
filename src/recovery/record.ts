import { countAt, isObject, type JsonObject, objectsAt, stringAt } from '../objects/json.ts';
import { PREFIX } from '../objects/metadata.ts';
import { CASES, type Case } from './diagnosis.ts';
import type { Owner } from './owner.ts';

/** On a claim: a recovery that is under way. Whoever runs `recover --apply` next goes on with it. */
export const RECOVERY = `${PREFIX}recovery`;

/** On a workload: how many replicas it had. Admission lets it go back to them (`src/admission/replicas-before.ts`). */
export const REPLICAS_BEFORE = `${PREFIX}replicas-before`;

/** A workload that is stopped for a while. */
export interface Stopped {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** One that was made anew under the name is somebody else's decision. */
  readonly uid: string;
  /** What it goes back to; 0 for a kind that is suspended instead. */
  readonly replicas: number;
}

/** What has to be known to finish a recovery, or to take it back, after a crash at any point. */
export interface RecoveryRecord {
  readonly case: Case;
  /** `stop` until nothing uses the claim, then `start`. */
  readonly phase: 'stop' | 'start';
  /** Whether what is stopped is started again, as it is unless one of two owners is to keep the claim. */
  readonly starts: boolean;
  readonly stopped: readonly Stopped[];
  /** Manifests of pods that nobody would make again. */
  readonly pods: readonly JsonObject[];
}

export function printedRecord(record: RecoveryRecord): string {
  return JSON.stringify(record);
}

/** `undefined` where there is none; `unreadable` where somebody wrote another text there. */
export function recordOf(annotations: ReadonlyMap<string, string>): RecoveryRecord | 'unreadable' | undefined {
  const text = annotations.get(RECOVERY);
  if (text === undefined) return undefined;
  try {
    return recordFrom(JSON.parse(text)) ?? 'unreadable';
  } catch (error) {
    if (error instanceof Error) return 'unreadable';
    throw error;
  }
}

function recordFrom(value: unknown): RecoveryRecord | undefined {
  if (!isObject(value)) return undefined;
  const { case: id, phase, starts } = value;
  const found = Object.keys(CASES).find((one) => one === id);
  if (!isCase(found) || (phase !== 'stop' && phase !== 'start') || typeof starts !== 'boolean') return undefined;
  return {
    case: found,
    phase,
    starts,
    stopped: objectsAt(value, 'stopped').map(stoppedFrom),
    pods: objectsAt(value, 'pods'),
  };
}

function isCase(id: string | undefined): id is Case {
  return id !== undefined && Object.hasOwn(CASES, id);
}

function stoppedFrom(object: JsonObject): Stopped {
  const text = (key: string): string => stringAt(object, key) ?? '';
  const [apiVersion, kind, namespace] = [text('apiVersion'), text('kind'), text('namespace')];
  return {
    apiVersion,
    kind,
    namespace,
    name: text('name'),
    uid: text('uid'),
    replicas: countAt(object, 'replicas') ?? 0,
  };
}

export function stoppedOf({ apiVersion, kind, namespace, name, uid, replicas = 0 }: Owner): Stopped {
  return { apiVersion, kind, namespace, name, uid, replicas };
}
