import { describe, expect, it } from 'vitest';
import { html, prose } from './html.ts';

describe('html', () => {
  it('escapes every value, in text and in attributes', () => {
    expect(html`<a title="${'"x"'}">${'<b>&'}</a>`.markup).toBe('<a title="&quot;x&quot;">&lt;b&gt;&amp;</a>');
  });

  it('accepts lists and markup, and renders nothing for undefined and false', () => {
    const list = ['a', '<'].map((text) => html`<i>${text}</i>`);
    expect(html`<p>${list}${undefined}${false}${0}</p>`.markup).toBe('<p><i>a</i><i>&lt;</i>0</p>');
  });

  it('renders text in backticks as code', () => {
    expect(prose('Send `<x>` now').markup).toBe('Send <code>&lt;x&gt;</code> now');
  });
});
