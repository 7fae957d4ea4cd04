import { describe, expect, it } from 'vitest';
import { renderStartPage } from './start-page.ts';
import { html, prose } from './ui/html.ts';

describe('html', () => {
  it('escapes every value, in text and in attributes', () => {
    expect(html`<a title="${'"x"'}">${'<b>&'}</a>`.markup).toBe('<a title="&quot;x&quot;">&lt;b&gt;&amp;</a>');
  });

  it('takes lists and markup, and leaves nothing for undefined and false', () => {
    const list = ['a', '<'].map((text) => html`<i>${text}</i>`);
    expect(html`<p>${list}${undefined}${false}${0}</p>`.markup).toBe('<p><i>a</i><i>&lt;</i>0</p>');
  });

  it('marks what stands in backticks as code', () => {
    expect(prose('Send `<x>` now').markup).toBe('Send <code>&lt;x&gt;</code> now');
  });
});

describe('the start page', () => {
  const page = renderStartPage({ baseUrl: 'https://id.example.com', development: true });

  it('has a language, a title, landmarks and one h1', () => {
    expect(page).toContain('<html lang="en">');
    expect(page).toContain('<title>Gatehouse is running</title>');
    expect(page.match(/<(header|main)>/g)).toEqual(['<header>', '<main>']);
    expect(page.match(/<h1/g)).toHaveLength(1);
  });

  it('has no script and fetches nothing from elsewhere', () => {
    expect(page).not.toMatch(/<script|\son\w+=|\sstyle=/i);
    expect(page.match(/(src|href)="(?!\/|data:|#)/g)).toBeNull();
  });

  it('names the sent mails in development only', () => {
    expect(page).toContain('href="/dev/mail"');
    expect(renderStartPage({ baseUrl: 'https://id.example.com', development: false })).not.toContain('/dev/mail');
  });
});
