import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule, Severity } from '../../src/rules/rule.ts';
import { findingsIn, fixture, fixtureNames } from '../fixtures.ts';

/** What a rule says to one of its fail fixtures, where that is not what it says to most. */
export interface Expected {
  /** The claims of each finding, one list a finding. */
  readonly claims?: readonly (readonly string[])[];
  readonly severity?: Severity;
}

const UNKNOWN = 'claim-unknown';

/** Runs a rule over all its fixtures: it reports those that fail, and the others for the reason that they stand for. */
export function testFixtures({ meta }: Rule, usual: Required<Expected>, unusual: Readonly<Record<string, Expected>>) {
  const failing = fixtureNames(meta.id, 'fail');
  for (const name of failing) {
    test(`${meta.id} reports ${name}`, () => {
      const found = findingsIn(fixture(meta.id, 'fail', name)).filter(({ rule }) => rule.id === meta.id);
      const { claims, severity } = { ...usual, ...unusual[name] };
      assert.deepEqual(
        found.map((finding) => ({ claims: finding.claims, severity: finding.severity })),
        claims.map((of) => ({ claims: of, severity })),
      );
    });
  }
  for (const name of fixtureNames(meta.id, 'pass')) {
    test(`${meta.id} passes ${name}`, () => {
      const ids = findingsIn(fixture(meta.id, 'pass', name)).map(({ rule }) => rule.id);
      assert.ok(!ids.includes(meta.id), ids.join());
      assert.ok(!ids.includes(UNKNOWN), `${ids.join()}: it passes for what is known, or it is inconclusive`);
    });
  }
  for (const name of fixtureNames(meta.id, 'inconclusive')) {
    test(`${meta.id} is inconclusive while ${name}`, () => {
      const ids = findingsIn(fixture(meta.id, 'inconclusive', name)).map(({ rule }) => rule.id);
      assert.ok(!ids.includes(meta.id), ids.join());
      assert.ok(ids.includes(UNKNOWN), ids.join());
    });
  }
  test(`${meta.id} has a fixture for everything that is expected of one`, () => {
    assert.deepEqual(
      Object.keys(unusual).filter((name) => !failing.includes(name)),
      [],
    );
  });
}
