import { declareClassPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { NodeTestRunner } from './test-runner.ts';
import { unreachable } from './unreachable.ts';

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'node-test', NodeTestRunner),
  declareValuePlugin(PluginKind.Ignore, 'unreachable', unreachable),
];
