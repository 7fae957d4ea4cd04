import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../src');

/** Has one field and its own buttons. */
const OTHERS = ['app/ConfirmButton.tsx'];

describe('forms of the app', () => {
  it('all use useForm, so that they keep unsaved changes and mark invalid fields', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.tsx') && !path.startsWith('hosted') && !OTHERS.includes(path),
    );
    const forms = files.flatMap((path) =>
      [...readFileSync(join(SRC, path), 'utf8').matchAll(/<form\b[^>]*>/g)].map(([tag]) => ({ path, tag })),
    );
    expect(forms.length).toBeGreaterThan(10);
    expect(forms.filter(({ tag }) => !tag.includes('{...form.props}'))).toEqual([]);
  });
});
