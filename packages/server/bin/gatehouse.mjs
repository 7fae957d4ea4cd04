#!/usr/bin/env node
import { existsSync } from 'node:fs';

// In a checkout the command builds itself when that is due; an installed package has its build and no scripts.
const setup = new URL('../../../scripts/setup.mjs', import.meta.url);
if (existsSync(setup)) await (await import(setup)).setup();
await import('../dist/main.mjs');
