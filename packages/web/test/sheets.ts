import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const WHOLE = readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8');
const known = new Set(WHOLE.match(/\bm_[0-9a-f]{6,8}\b/g));

/** The classes of the elements on the page for which no loaded rule has a selector. */
const UNSTYLED = `(() => {
  const selectorsOf = (rule) => [rule.selectorText ?? '', ...[...(rule.cssRules ?? [])].map(selectorsOf)].join();
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const styled = new Set(rules.map(selectorsOf).join().match(/\\bm_[0-9a-f]{6,8}\\b/g));
  const used = [...document.querySelectorAll('[class*="m_"]')].flatMap((element) => [...element.classList]);
  return [...new Set(used)].filter((name) => !styled.has(name));
})()`;

/** Fails if the page uses a Mantine class whose styles it does not load: each page loads only a part of them. */
export async function expectStyled(page: Page): Promise<void> {
  const unstyled = await page.evaluate<string[]>(UNSTYLED);
  const bare = unstyled.filter((name) => known.has(name));
  expect(bare, `classes of Mantine without their styles at ${page.url()}`).toEqual([]);
}
