/** What linting is compared with: reads every file of a folder and parses it with `yaml`, which is most of the work. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const [folder = ''] = process.argv.slice(2);
for (const name of readdirSync(folder)) {
  for (const document of parseAllDocuments(readFileSync(join(folder, name), 'utf8'))) document.toJS();
}
