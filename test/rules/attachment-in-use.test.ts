import { attachmentInUse } from '../../src/rules/attachment-in-use.ts';
import { testGuardFixtures } from './guard-fixture-tests.ts';

testGuardFixtures(attachmentInUse);
