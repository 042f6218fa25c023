import { accessModeUnsupported } from '../../src/rules/access-mode-unsupported.ts';
import { testFixtures } from './fixture-tests.ts';

testFixtures(
  accessModeUnsupported,
  { claims: [[]], severity: 'error' },
  { 'block-that-depends': { severity: 'warning' }, 'file-system-that-depends': { severity: 'warning' } },
);
