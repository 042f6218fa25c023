import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectAt, stringAt } from '../../src/objects/json.ts';
import { audited, deployment, hazard, mended } from './audited.ts';

const TOLD_MS = 3_000;

const REPORTS_ALONE = { writes: { events: false, openReports: true } };

test('each object at fault has one Report, which goes with its finding', async () => {
  const { put, start, time, reports, stop } = audited(REPORTS_ALONE);
  put(...hazard('web'), ...hazard('db'), ...hazard('safe', mended));
  start();
  await time.pass(TOLD_MS);
  assert.deepEqual(reports().map(scopeOf), ['db', 'web']);
  put(deployment('web', mended));
  await time.pass(TOLD_MS);
  assert.deepEqual(reports().map(scopeOf), ['db']);
  await stop();
});

test('a Report belongs to its object', async () => {
  const { put, start, time, reports, stop } = audited(REPORTS_ALONE);
  put(...hazard('web'));
  start();
  await time.pass(TOLD_MS);
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'uid-web' };
  assert.deepEqual(objectAt(reports()[0], 'metadata')?.ownerReferences, [owner]);
  await stop();
});

test('a Report that says all of it already is not written again, also by another leader', async () => {
  const { api, put, start, time, stop, restart } = audited(REPORTS_ALONE);
  put(...hazard('web'));
  start();
  await time.pass(TOLD_MS);
  put(deployment('web'));
  await time.pass(TOLD_MS);
  await stop();
  restart();
  await time.pass(TOLD_MS);
  assert.equal(api.writes.filter(({ method, path }) => method === 'PATCH' && path.includes('/reports/')).length, 1);
  await stop();
});

test('another leader takes away the Report of what was mended meanwhile', async () => {
  const { put, start, time, reports, stop, restart } = audited(REPORTS_ALONE);
  put(...hazard('web'));
  start();
  await time.pass(TOLD_MS);
  await stop();
  put(deployment('web', mended));
  restart();
  await time.pass(TOLD_MS);
  assert.deepEqual(reports(), []);
  await stop();
});

test('a kind of Reports that is installed later is found, and one that is taken away is waited for', async () => {
  const { api, put, start, time, reports, stop, log } = audited(REPORTS_ALONE);
  let isServed = false;
  api.refuse = (_method, path) => (path.includes('openreports') && !isServed ? 404 : undefined);
  put(...hazard('web'));
  start();
  await time.pass(60_000);
  assert.deepEqual(reports(), []);
  isServed = true;
  await time.pass(12_000);
  assert.deepEqual(reports().map(scopeOf), ['web']);
  isServed = false;
  api.objects.clear();
  put(...hazard('db'));
  await time.pass(30_000);
  isServed = true;
  await time.pass(12_000);
  assert.deepEqual(reports().map(scopeOf), ['db', 'web']);
  assert.deepEqual(log.warnings(), []);
  await stop();
});

test('a namespace that is gone keeps no other Report back', async () => {
  const { api, put, start, time, reports, stop } = audited(REPORTS_ALONE);
  api.refuse = (method, path) => (method === 'PATCH' && path.includes('/doomed/') ? 404 : undefined);
  put(...hazard('gone', {}, { namespace: 'doomed' }), ...hazard('web'));
  start();
  await time.pass(30_000);
  assert.deepEqual(reports().map(scopeOf), ['web']);
  assert.equal(api.writes.filter(({ path }) => path.includes('/reports/')).length, 2);
  await stop();
});

function scopeOf(report: JsonObject): string | undefined {
  return stringAt(objectAt(report, 'scope'), 'name');
}
