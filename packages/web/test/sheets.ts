import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const WHOLE = readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8');
const known = new Set(WHOLE.match(/\bm_[0-9a-f]{6,8}\b/g));

/** The classes of the elements on the page, and those of all loaded rules. */
const CLASSES = `({
  used: [...new Set([...document.querySelectorAll('[class*="m_"]')].flatMap((element) => [...element.classList]))],
  styled: [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .map((rule) => rule.cssText)
    .join().match(/\\bm_[0-9a-f]{6,8}\\b/g) ?? [],
})`;

/** Fails if the page uses a Mantine class whose styles it does not load: each page loads only a part of them. */
export async function expectStyled(page: Page): Promise<void> {
  const { used, styled } = await page.evaluate<{ used: string[]; styled: string[] }>(CLASSES);
  const there = new Set(styled);
  const bare = used.filter((name) => known.has(name) && !there.has(name));
  expect(bare, `classes of Mantine without their styles at ${page.url()}`).toEqual([]);
}
