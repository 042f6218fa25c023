import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Admitted, MalformedReviewError } from '../../src/admission/admission.ts';
import { createAdmission } from '../../src/admission/admit.ts';
import { NOBODY_TO_ASK } from '../../src/admission/node-reading.ts';
import { RecentRequests } from '../../src/cluster/recent-requests.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { snapshotOf } from '../../src/lint/file-snapshot.ts';
import { rules } from '../../src/rules/index.ts';
import { settings } from '../admission/scene.ts';
import { PROGRAM } from '../program.ts';
import { problemsWith } from './answer.ts';
import { legalReviews } from './legal.ts';
import { type HostileRequest, hostileRequest } from './request.ts';
import { runHostile } from './run.ts';

/** Another one every day, so that many of them are seen in time, and the same one for whoever looks into a failure. */
const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Date.now() / 86_400_000));
const IN_PROCESS = 3_000;
const OVER_HTTPS = 300;

const legal = legalReviews();

test(`${IN_PROCESS} malformed and hostile reviews of seed ${SEED} are answered in order, or refused as no review`, async () => {
  const answer = admission();
  for (let index = 0; index < IN_PROCESS; index++) {
    const request = hostileRequest(legal, SEED, index);
    assert.deepEqual(problemsWith(await answer(request), request), [], `HOSTILE_SEED=${SEED}, request ${index}`);
  }
});

test(`${OVER_HTTPS} hostile requests of seed ${SEED} over HTTPS leave the server as it was`, async () => {
  const run = await runHostile(legal, { program: PROGRAM, seed: SEED, first: 0, count: OVER_HTTPS, connections: 8 });
  assert.deepEqual([...run.problems], [], `HOSTILE_SEED=${SEED}`);
  assert.deepEqual([run.sent, run.hazardsDenied, run.crashed], [OVER_HTTPS, 1, false]);
});

test('a request is the same for the same seed and index, whatever was made before', () => {
  const backwards = Array.from({ length: IN_PROCESS }, (_, n) => hostileRequest(legal, 7, IN_PROCESS - 1 - n));
  for (const [index, request] of backwards.reverse().entries()) {
    assert.deepEqual(hostileRequest(legal, 7, index), request, `request ${index}`);
  }
});

test('an answer that is not in order is found', () => {
  const request = { ...hostileRequest(legal, 1, 0), uid: 'u', hazard: false };
  const answer = (response: object) => ({
    status: 200,
    body: Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response })),
  });
  const denied = { uid: 'u', allowed: false, status: { code: 403, message: 'no' } };
  const problems = (response: object) => problemsWith(answer(response), request);
  assert.deepEqual(problems(denied), []);
  assert.deepEqual(problems({ ...denied, uid: 'v' }), ['another uid']);
  assert.deepEqual(problems({ uid: 'u', allowed: true }), []);
  const hazard = { ...request, hazard: true };
  assert.deepEqual(problemsWith(answer({ uid: 'u', allowed: true }), hazard), ['a hazard that was admitted']);
  assert.deepEqual(problems({ ...denied, allowed: 'no' }), ['neither allowed nor denied']);
  assert.deepEqual(problems({ ...denied, warnings: ['a\u202eb'] }), ['a line with what is not seen']);
  assert.deepEqual(problems({ ...denied, warnings: ['a'.repeat(4_097)] }), ['more than 4 KB of warnings']);
  assert.deepEqual(problems({ ...denied, patch: 'x' }), ['a patch that is none']);
  assert.deepEqual(problemsWith({ status: 500, body: Buffer.alloc(0) }, request), ['status 500']);
  assert.deepEqual(problemsWith({ status: 400, body: Buffer.alloc(70_000) }, request), ['70000 bytes']);
});

/** The admission alone, as the server calls it; what is no JSON never comes so far. */
function admission(): (request: HostileRequest) => Promise<{ readonly status: number; readonly body: Buffer }> {
  const { snapshot } = snapshotOf(legal.cluster.map((object) => ({ file: 'cluster', line: 1, object })));
  const doors = createAdmission({
    snapshot,
    matrix: storageMatrix(),
    rules,
    lookUp: async (refs) => refs.map((ref) => ({ ...ref, found: { known: true, value: undefined } })),
    recent: new RecentRequests(() => performance.now()),
    guards: { mode: 'enforce', nodes: NOBODY_TO_ASK },
    settings: settings({}),
  });
  return async ({ path, body, wire }) => {
    const parsed = wire === undefined ? parsedJson(body) : undefined;
    if (parsed === undefined) return { status: 400, body: Buffer.alloc(0) };
    try {
      const door = path.startsWith('/mutate') ? 'mutate' : 'validate';
      const { review, observation }: Admitted = await doors[door](parsed.value, AbortSignal.timeout(30_000));
      assert.equal(observation.uid, review.response.uid);
      return { status: 200, body: Buffer.from(JSON.stringify(review)) };
    } catch (error) {
      if (error instanceof MalformedReviewError) return { status: 400, body: Buffer.from(error.message) };
      throw error;
    }
  };
}

function parsedJson(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body.toString().replace(/^\ufeff/, '')) };
  } catch {
    return undefined;
  }
}
