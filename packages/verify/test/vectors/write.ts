// `npm run vectors`: writes packages/verify/vectors/*.json.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateVectors } from './generate.ts';
import { FOLDER } from './sign.ts';

for (const [name, text] of generateVectors()) writeFileSync(join(FOLDER, name), text);
