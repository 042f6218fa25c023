import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../usage-error.ts';

/** The page into which a report is put. The build makes it beside the folder of the program's parts, of which this is one. */
export async function reportPage(): Promise<string> {
  const isBuilt = !import.meta.filename.endsWith('.ts');
  const file = join(import.meta.filename, isBuilt ? '../../report.html' : '../../../dist/report.html');
  return readFile(file, 'utf8').catch((cause: unknown) => {
    const remedy = isBuilt ? 'keep the files of the package together' : 'npm run build makes it';
    throw new UsageError(`${file} cannot be read, which the html report is put into: ${remedy}`, { cause });
  });
}
