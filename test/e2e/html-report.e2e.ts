import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { reportPage } from '../../src/lint/report-page.ts';
import { htmlOf } from '../../src/report/html/html.ts';
import type { ScanReport } from '../../src/report/scan-report.ts';
import { startBrowser } from '../browser.ts';
import { claim, deployment, written } from '../lint/manifests.ts';
import { start } from '../program.ts';
import { sampleScan } from '../report/html/sample.ts';
import { CLASS, DRIVER, nodes } from '../stories/told.ts';

const BUILT = join(import.meta.dirname, '../../dist/rwo-guard.js');
const PHONE = { width: 360, height: 780 };

let browser: Browser;
let folder: string;

before(async () => {
  [browser, folder] = await Promise.all([startBrowser(), mkdtemp(join(tmpdir(), 'rwo-guard-'))]);
});

after(async () => {
  await browser?.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** A page of which it is an error to say anything on the console, or to ask for anything but its own file. */
async function opened(t: TestContext, html: string, options: BrowserContextOptions = {}): Promise<Page> {
  const file = join(folder, `${t.name.replaceAll(/\W+/g, '-')}.html`);
  await writeFile(file, html);
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => wrong.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => wrong.push(`asks for ${request.url().slice(0, 100)}`));
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, [`asks for ${pathToFileURL(file).href.slice(0, 100)}`]);
  });
  await page.goto(pathToFileURL(file).href);
  return page;
}

async function scanned(t: TestContext, scan: ScanReport, options?: BrowserContextOptions): Promise<Page> {
  return opened(t, htmlOf(scan, { page: await reportPage(), version: '1.2.3' }), options);
}

/** Those that are judged. */
const findings = (page: Page) => page.getByRole('region', { name: 'Findings', exact: true }).locator('.finding');
async function open(page: Page, at: number): Promise<Locator> {
  const finding = findings(page).nth(at);
  await finding.locator('summary').click();
  await finding.locator('.inside').waitFor();
  return finding;
}

const search = (page: Page) => page.getByRole('searchbox');

test('the report shows the state at a glance, and what has struck first', async (t) => {
  const page = await scanned(t, sampleScan(300));
  assert.equal(await page.title(), 'prod-eu-1 · rwo-guard');
  assert.match(await page.locator('.tiles').innerText(), /^8\s+struck now/);
  assert.deepEqual(await page.locator('.plots figcaption').allInnerTexts(), [
    ...['Findings by namespace', 'Findings by rule', 'What would help', 'Claims by driver'],
  ]);
  const byDriver = page.getByRole('img', { name: /^Claims by driver: ebs.csi.aws.com 412; efs.csi.aws.com 120;/ });
  const widths = await byDriver
    .locator('rect')
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  assert.equal(widths.length, 4);
  assert.ok((widths[0] ?? 0) > 3 * (widths[1] ?? 0) && (widths[1] ?? 0) > 0, widths.join());
  assert.match(await findings(page).first().innerText(), /^struck now/);
  for (const title of ['If every namespace enforced', 'Not seen', 'Not judged', 'Exempt', 'Repaired by the webhook']) {
    assert.ok(await page.getByRole('heading', { name: title, exact: true }).isVisible(), title);
  }
});

test('typing filters the findings, and choosing does', async (t) => {
  const page = await scanned(t, sampleScan(300));
  assert.equal(await findings(page).count(), 25);
  await search(page).pressSequentially('payments grafana');
  await page.getByText(/^Showing .*that match of 300\./).waitFor();
  const names = await findings(page).locator('h3').allInnerTexts();
  assert.ok(names.length > 0 && names.every((name) => /payments.*grafana/.test(name)), names.join());
  await search(page).fill('no such thing');
  assert.equal(await findings(page).count(), 0);
  await page.getByRole('button', { name: 'Show all', exact: true }).click();
  await page.getByRole('combobox', { name: 'Now' }).selectOption('struck');
  assert.equal(await findings(page).count(), 8);
});

test('a finding that is opened tells its evidence, draws its story, and gives its remedy to copy', async (t) => {
  const page = await scanned(t, sampleScan(300));
  await search(page).fill('rollout-deadlock struck');
  const finding = await open(page, 0);
  const pictures = finding.getByRole('img');
  assert.ok((await pictures.count()) > 1);
  assert.match((await pictures.last().getAttribute('aria-label')) ?? '', /On node-\w: .*waits for data/);
  assert.ok(((await pictures.last().boundingBox())?.height ?? 0) > 80);
  assert.match(await finding.innerText(), /Now: .* waits on node-b since 16:02/);
  await finding.getByText(/^kubectl patch .* -n ci deployment\/redis-\d+$/).waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await finding
    .getByRole('button', { name: /^Copy: spec.strategy: / })
    .first()
    .click();
  await finding.getByRole('button', { name: /^Copied/ }).waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'spec.strategy: {type: Recreate}');
});

test('the keyboard reaches everything in the order in which it stands, and shows where it is', async (t) => {
  const page = await scanned(t, sampleScan(30));
  const reached: unknown[] = [];
  for (let step = 0; step < 9; step++) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(FOCUSED));
  }
  const visible = { outline: 'solid' };
  assert.deepEqual(reached, [
    { ...visible, on: 'INPUT radio' },
    { ...visible, on: 'INPUT search' },
    ...['Now', 'Severity', 'Namespace', 'Rule'].map(() => ({ ...visible, on: 'SELECT select-one' })),
    { ...visible, on: 'BUTTON button' },
    ...[
      { ...visible, on: 'SUMMARY' },
      { ...visible, on: 'SUMMARY' },
    ],
  ]);
  await page.keyboard.press('Enter');
  await findings(page).nth(1).locator('.inside').waitFor();
  await page.keyboard.press('Tab');
  assert.deepEqual(await page.evaluate(FOCUSED), { ...visible, on: 'BUTTON button' });
  await page.keyboard.press('/');
  assert.deepEqual(await page.evaluate(FOCUSED), { ...visible, on: 'INPUT search' });
});

/** The outline of a radio button is around what stands for it. */
const FOCUSED = `(() => {
  const { tagName, type = '', nextElementSibling } = document.activeElement;
  const shown = type === 'radio' ? nextElementSibling : document.activeElement;
  return { on: (tagName + ' ' + type).trim(), outline: getComputedStyle(shown).outlineStyle };
})()`;

const BACK = 'getComputedStyle(document.body).backgroundColor';

for (const colorScheme of ['light', 'dark'] as const) {
  for (const viewport of [PHONE, { width: 1280, height: 900 }]) {
    test(`axe finds nothing in ${colorScheme} at ${viewport.width} pixels`, async (t) => {
      const page = await scanned(t, sampleScan(60), { colorScheme, viewport });
      for (const at of [0, 1, 5]) await open(page, at);
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
      assert.deepEqual(found, []);
    });
  }
}

test('a phone shows all of it without scrolling sideways', async (t) => {
  const page = await scanned(t, sampleScan(60), { viewport: PHONE });
  for (const at of [0, 1, 2, 3]) await open(page, at);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width);
});

test('somebody may want it dark where the system is light', async (t) => {
  const page = await scanned(t, sampleScan(3), { colorScheme: 'light' });
  const back = (): Promise<unknown> => page.evaluate(BACK);
  const light = await back();
  await page.getByRole('radio', { name: 'dark' }).check({ force: true });
  assert.notEqual(await back(), light);
  await page.getByRole('radio', { name: 'auto' }).check({ force: true });
  assert.equal(await back(), light);
});

test('printed it has all findings that are found, those that have struck whole, and nothing to press, on white', async (t) => {
  const page = await scanned(t, sampleScan(60));
  await page.getByRole('radio', { name: 'dark' }).check({ force: true });
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  await page.emulateMedia({ media: 'print' });
  assert.equal(await findings(page).count(), 60);
  assert.equal(await page.locator('.finding.struck').count(), await page.locator('.inside').count());
  assert.equal(await page.getByRole('button').count(), 0);
  assert.equal(await page.evaluate(BACK), 'rgb(255, 255, 255)');
  assert.ok((await page.pdf({ format: 'A4' })).length > 10_000);
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  assert.equal(await findings(page).count(), 25);
});

test('5,000 findings are filtered as fast as somebody types', async (t) => {
  const page = await scanned(t, sampleScan(5000));
  assert.equal(await findings(page).count(), 25);
  const took = await page.evaluate(`(async () => {
    const box = document.querySelector('input[type=search]');
    const times = [];
    for (const text of ['c', 'ci', 'ci redis', 'ci redis-49']) {
      const begin = performance.now();
      box.value = text;
      box.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      times.push(performance.now() - begin);
    }
    return Math.max(...times);
  })()`);
  assert.ok(Number(took) < 250, `${took} ms`);
  assert.ok((await findings(page).count()) > 0);
});

test('names that are markup are shown as they are, and run nothing', async (t) => {
  const scan = sampleScan(3);
  const name = '</script><img src=x onerror=alert(1)><b>';
  const hostile = scan.findings.map((finding) => ({
    ...finding,
    ...{ resource: { ...finding.resource, namespace: name, name }, message: name, fix: name, claims: [name] },
    now: { state: 'struck' as const, because: name },
    pictures: finding.pictures?.map((picture) => ({ ...picture, nodes: picture.nodes.map(() => name) })),
  }));
  const page = await scanned(t, { ...scan, findings: hostile, cluster: { ...scan.cluster, name } });
  const finding = await open(page, 0);
  assert.ok((await finding.locator('h3').innerText()).includes(name));
  assert.equal(await page.locator('img, b').count(), 0);
});

test('the built program writes the report of manifests with their stories', async (t) => {
  const file = join(folder, 'web.yaml');
  await writeFile(file, written(claim(), deployment()));
  const { stdout, stderr } = await start(t, ['lint', '--format', 'html', file], [BUILT]).ended;
  assert.equal(stderr, '');
  const page = await opened(t, stdout);
  assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Manifests');
  assert.ok((await (await open(page, 0)).getByRole('img').count()) > 1);
});

test('the built program writes the report of a cluster that somebody has dumped', async (t) => {
  const file = join(folder, 'dump.json');
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
    ...nodes({ 'node-a': {}, 'node-b': {} }),
    ...[CLASS, DRIVER, claim({ storageClassName: 'disks' }, { namespace: 'default' })],
    deployment({}, { namespace: 'default' }),
  ];
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const { stdout } = await start(t, ['scan', '--from', file, '--format', 'html'], [BUILT]).ended;
  const page = await opened(t, stdout);
  assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), file);
  const last = (await open(page, 0)).getByRole('img').last();
  assert.match((await last.getAttribute('aria-label')) ?? '', /^On node-a: .*On node-b: .*waits for data/);
});
