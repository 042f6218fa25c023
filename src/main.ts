#!/usr/bin/env node
import type { Command } from 'commander';
import type { Surroundings } from './commands/command.ts';
import type { RulesOptions } from './commands/rules.ts';

// Before anything is loaded, for what is loaded does not even start on an older Node. undici sets the floor.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  void main();
} else {
  process.stderr.write(`rwo-guard needs Node 22.19 or newer, and this is ${process.versions.node}\n`);
  process.exitCode = 2;
}

/** The only place where arguments and environment are read, and where the exit code is set. */
async function main(): Promise<void> {
  const { keepCompiled } = await import('./compile-cache.ts');
  keepCompiled(process.env);
  const { Command, CommanderError } = await import('commander');
  const { default: packageJson } = await import('../package.json', { with: { type: 'json' } });
  const surroundings: Surroundings = {
    version: packageJson.version,
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    stopRequested,
    beforeEnd: (work) => void process.once('exit', work),
    listenToNode,
  };
  const withFiles = { ...surroundings, stdin: process.stdin, workingDirectory: process.cwd(), now: Date.now };
  const program = new Command('rwo-guard')
    .description('Stops Multi-Attach errors and stuck rollouts of ReadWriteOnce claims before they reach the cluster')
    .version(packageJson.version)
    .exitOverride();

  const serving = program
    .command('serve')
    .description('answer the reviews of an API server')
    .option('--listen <HOST:PORT>', 'where to answer them over HTTPS (default 0.0.0.0:8443)')
    .option('--metrics-listen <HOST:PORT>', 'where to serve /livez, /readyz and /metrics (default 0.0.0.0:8080)')
    .option('--config <PATH>', 'settings: a YAML file, or a folder of them')
    .option('--snapshot <PATH>', "take the cluster's state from a file or folder instead of an API server")
    .option('--ca-out <FILE>', 'write the CA that a client has to trust');
  withCluster(serving).action(async (options) => {
    const { serve } = await import('./commands/serve.ts');
    process.exitCode = await serve(options, surroundings);
  });

  const judging = program
    .command('lint <PATH...>')
    .description('judge manifests without a cluster: files, folders, or - for stdin');
  withInput(judging)
    .option('--format <NAME>', 'text, json, sarif, junit, github or html (several)', collected)
    .option('--output <FILE>', 'where to write the format of the same place, instead of stdout (several)', collected)
    .option('--fail-on <SEVERITY>', 'error, warning, info or never (default error)')
    .option('--config <FILE>', 'settings (default .rwo-guard.yaml, if it is there)')
    .option('--fix', 'change the files so that rollouts can finish')
    .option('--diff', 'print what --fix would change, and change nothing')
    .option('--explain', 'tell under each finding how it comes about')
    .option('--no-color', 'no colour, on a terminal either')
    .action(async (paths: readonly string[], options) => {
      const { lint } = await import('./commands/lint.ts');
      process.exitCode = await lint(paths, options, withFiles);
    });

  const explaining = program
    .command('explain')
    .usage('[options] <FILE...> [KIND/NAME]')
    .argument('<FILE...>', 'manifests: files, folders, or - for stdin; then one object, such as deployment/web')
    .description('tell how each finding comes about, and what saves a workload that passes')
    .option('-n, --namespace <NAME>', 'where several objects have the name');
  withInput(explaining)
    .option('--format <NAME>', 'text or json (default text)')
    .option('--config <FILE>', 'settings (default .rwo-guard.yaml, if it is there)')
    .option('--no-color', 'no colour, on a terminal either')
    .action(async (args: readonly string[], options) => {
      const { explain } = await import('./commands/explain.ts');
      process.exitCode = await explain(args, options, withFiles);
    });

  const scanning = program
    .command('scan')
    .description('judge everything that is in a cluster now; reads only')
    .option('-n, --namespace <NAME>', 'judge one namespace (default: all)')
    .option('--from <PATH>', 'judge what kubectl get -o json wrote, instead of a live cluster')
    .option('--as-if <MODE>', 'enforce: tell by namespace and team what would be denied')
    .option('--team-label <LABEL>', 'the label of namespaces that names their team (default team)')
    .option('--report <KIND>', 'openreports: print the findings as Reports of openreports.io; writes nothing')
    .option('--exempt', 'list what is exempt, with reason and end')
    .option('--explain', 'tell under each finding how it comes about')
    .option('--format <NAME>', 'text, json, sarif, junit or html (several)', collected)
    .option('--output <FILE>', 'where to write the format of the same place, instead of stdout (several)', collected)
    .option('--fail-on <SEVERITY>', 'error, warning, info or never (default error)')
    .option('--config <FILE>', 'settings: storage, ignore and failOn, as for lint');
  withCluster(scanning)
    .option('--no-color', 'no colour, on a terminal either')
    .action(async (options) => {
      const { scanCluster } = await import('./commands/scan.ts');
      process.exitCode = await scanCluster(options, withFiles);
    });

  const asking = program
    .command('what-if')
    .description('foretell what the controllers do with what runs now; reads only');
  const onRunning = (command: Command): Command =>
    withCluster(
      command
        .option('--from <PATH>', 'take what kubectl get -o json wrote, instead of a live cluster')
        .option('--format <NAME>', 'text or json (default text)'),
    );
  onRunning(asking.command('drain <NODE>').description('a node is drained')).action(async (node: string, options) => {
    const { whatIf } = await import('./commands/what-if.ts');
    process.exitCode = await whatIf({ type: 'drain', node }, options, withFiles);
  });
  onRunning(
    asking
      .command('fail [NODE]')
      .description('a node, or a zone, stops answering')
      .option('--zone <ZONE>', 'all nodes of that zone at once'),
  ).action(async (node: string | undefined, { zone, ...options }) => {
    const { whatIf } = await import('./commands/what-if.ts');
    process.exitCode = await whatIf({ type: 'fail', node, zone }, options, withFiles);
  });
  onRunning(
    asking
      .command('add-node')
      .description('one more node like the others joins: what can go wrong then that cannot now')
      .option('--like <NODE>', 'the node that it is like (default: each of the most common kinds)'),
  ).action(async ({ like, ...options }) => {
    const { whatIf } = await import('./commands/what-if.ts');
    process.exitCode = await whatIf({ type: 'add-node', like }, options, withFiles);
  });

  const onCluster = (command: Command): Command =>
    withCluster(
      command
        .option('-n, --namespace <NAME>', 'where the claim is, if its argument does not say')
        .option('--format <NAME>', 'text or json (default text)'),
    );
  onCluster(
    program
      .command('who-uses <[NAMESPACE/]CLAIM>')
      .description('tell which nodes, pods and owners use a claim, and who would scale them back; reads only'),
  ).action(async (claim: string, options) => {
    const { whoUses } = await import('./commands/who-uses.ts');
    process.exitCode = await whoUses(claim, options, withFiles);
  });
  onCluster(
    program
      .command('diagnose [[NAMESPACE/]CLAIM]')
      .description(
        'tell why a claim is stuck, and whether it is safe to act; without a claim, every stuck one; reads only',
      )
      .addHelpText('after', DECISION_TREE),
  ).action(async (claim: string | undefined, options) => {
    const { diagnoseClaims } = await import('./commands/diagnose.ts');
    process.exitCode = await diagnoseClaims(claim, options, withFiles);
  });
  onCluster(
    program
      .command('recover <[NAMESPACE/]CLAIM>')
      .description('print step by step how a stuck claim is got going again; --apply takes those steps')
      .option('--apply', 'carry it out; what another run left half done is gone on with')
      .option('--dry-run', 'have the API server say what it would do with each write, and do none')
      .option('--timeout <SECONDS>', 'how long --apply may take (default 600)')
      .option('--node-is-off <NODE>', 'you made sure that its machine is off and stays off (several)', collected)
      .option('--keep <KIND/NAME>', 'of two owners of one claim, the one that keeps it')
      .option('--roll-back', 'start again at once what an unfinished --apply has stopped')
      .option('--gitops-suspended', 'you told Argo CD or Flux to wait')
      .option('--despite-budgets', 'stop pods that a PodDisruptionBudget counts on'),
  ).action(async (claim: string, options) => {
    const { recover } = await import('./commands/recover.ts');
    process.exitCode = await recover(claim, options, withFiles);
  });

  program
    .command('rules [ID]')
    .description('what is judged, and one rule with its story, its examples and its remedy')
    .option('--markdown', "print the README's table")
    .option('--guards', 'print the table of the guards, as Markdown')
    .option('--pages', 'print the pages of all rules, as Markdown')
    .action(async (id: string | undefined, options: RulesOptions) => {
      const { printRules } = await import('./commands/rules.ts');
      process.exitCode = printRules({ id, ...options }, surroundings);
    });

  const certs = program.command('certs').description('the certificates of a server in a cluster');
  for (const command of [
    certs
      .command('status')
      .description('what is served, until when, and whether the caBundle agrees')
      .option('--format <NAME>', 'text or json (default text)')
      .action(async (options) => {
        const { certsStatus } = await import('./commands/certs.ts');
        process.exitCode = await certsStatus(options, surroundings);
      }),
    certs
      .command('rotate')
      .description('have the servers make a new CA, and wait until it signs')
      .option('--distrust-old', 'take the old CA out of the caBundle once no server needs it any more')
      .option('--timeout <SECONDS>', 'how long to wait (default 360)')
      .action(async (options) => {
        const { certsRotate } = await import('./commands/certs.ts');
        process.exitCode = await certsRotate(options, surroundings);
      }),
  ]) {
    withCluster(
      command
        .option('-n, --namespace <NAME>', 'where rwo-guard is installed (default rwo-guard)')
        .option('--config <PATH>', "the server's settings, where they name other objects or mounted certificates"),
    );
  }

  const examining = program
    .command('doctor')
    .description('whether the installation in a cluster is in order, and how to mend what is not; writes nothing')
    .option('--format <NAME>', 'text or json (default text)')
    .option('-n, --namespace <NAME>', 'where rwo-guard is installed (default rwo-guard)')
    .option('--config <PATH>', "the server's settings (default: those of its ConfigMap)");
  withCluster(examining).action(async (options) => {
    const { doctor } = await import('./commands/doctor.ts');
    process.exitCode = await doctor(options, surroundings);
  });

  try {
    await program.parseAsync();
  } catch (error) {
    // Commander has said what is wrong, and gives 0 where help or version were asked for.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      const { isExpected } = await import('./usage-error.ts');
      const { oneLine } = await import('./one-line.ts');
      const text = isExpected(error) ? error.message : stackOf(error);
      process.stderr.write(`rwo-guard: ${text.split('\n').map(oneLine).join('\n')}\n`);
      process.exitCode = 2;
    }
  }
}

/** In the order in which it is asked; the whole of it is in src/recovery/README.md. */
const DECISION_TREE = `
What is asked, in this order; the first yes is the case:
  is the claim being deleted?                                          claim-deleting
  is the volume, or a pod of it, on a node that is silent or gone?     node-down, node-down-pod-gone, deleted-node
  is it mounted without being attached, and pods hang on healthy nodes? shared-volume-stuck
  have the nodes as many volumes as their driver takes?                volume-limit
  do running pods keep it from others, on other nodes?                 rollout-deadlock, replicas-split, two-owners
  do pods that hold it end, or are they late?                          slow-termination, unmount-hangs
  did the driver refuse it?                                            mode-refused
Then: rwo-guard recover NAMESPACE/CLAIM prints what to do, and does nothing without --apply.`;

/** The options for what is read of manifests, and for what they leave open. */
function withInput(command: Command): Command {
  return command
    .option('--exclude <PATTERN>', 'leave out what it matches, as in .gitignore (several)', collected)
    .option('--no-gitignore', 'read what .gitignore names, too')
    .option('--nodes <N|FILE>', 'the nodes, where the input has none (default: several)')
    .option(
      '--assume-attach <yes|no|unknown>',
      'whether volumes that nothing is known of attach to one node (default yes)',
    )
    .option('--assume-access-mode <MODE>', 'the access mode of claims that are not in the input');
}

/** The options for which cluster is meant, as kubectl is told it. */
function withCluster(command: Command): Command {
  return command
    .option('--kubeconfig <FILE>', 'how to reach the API server')
    .option('--context <NAME>', 'which of the contexts of the kubeconfig');
}

/** Options that may be given several times. */
function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Node prints warnings by a listener, which can be another one. What nobody catches it prints itself as well, and ends. */
function listenToNode(warned: (warning: Error) => void, ended: (error: unknown) => void): void {
  process.removeAllListeners('warning').on('warning', warned);
  process.once('uncaughtExceptionMonitor', ended);
}

/** The second signal finds no handler any more and ends the process at once. */
function stopRequested(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort());
  return stop.signal;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
