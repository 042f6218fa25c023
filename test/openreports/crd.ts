import { join } from 'node:path';
import { go } from '../control-plane/go.ts';

/** The file with the definition of Reports, as OpenReports brings it. */
export async function openReportsCrd(): Promise<string> {
  const args = ['mod', 'download', '-json', 'github.com/openreports/reports-api'];
  const { Dir }: { readonly Dir: string } = JSON.parse(await go({ args, folder: import.meta.dirname }));
  return join(Dir, 'config/crd/openreports.io_reports.yaml');
}
