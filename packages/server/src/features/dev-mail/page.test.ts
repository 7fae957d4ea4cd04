import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { BRAND } from '../../../test/brand.ts';
import { renderTemplate } from '../../domain/mail/templates/render.ts';
import { renderMailList as renderListPage, renderMail as renderMailPage } from './page.ts';

type Mail = Parameters<typeof renderMailPage>[0];
const renderMail = (shown: Mail) => renderMailPage(shown, BRAND).html;
const renderMailList = (mails: Mail[]) => renderListPage(mails, BRAND).html;

const mail = (changes: object = {}) => ({
  id: uuidv7(),
  to: 'ada@example.com',
  from: 'Gatehouse <gatehouse@localhost>',
  sent_at: '2030-01-15T12:00:00.000Z',
  ...renderTemplate({
    template: 'verify_email',
    locale: 'en',
    params: { link: 'http://localhost:8080/verify-email?token=a&b=1', hours: 24 },
    site: 'http://localhost:8080',
    brand: BRAND,
  }),
  ...changes,
});

describe('/dev/mail', () => {
  it('explains what the page shows while there are no mails', () => {
    expect(renderMailList([])).toContain('No emails yet');
  });

  it('lists mails in the order given, escaped', () => {
    const [newer, older] = [mail({ subject: '<b>newer</b>' }), mail({ subject: 'older', to: '"><script>@x' })];
    const html = renderMailList([newer, older]);
    expect(html.indexOf('&lt;b&gt;newer')).toBeLessThan(html.indexOf('older'));
    expect(html).toContain(`href="/dev/mail/${newer.id}"`);
    expect(html).not.toMatch(/<b>|<script/);
  });

  it('shows the code or the link of each mail in the list', () => {
    const code = renderTemplate({
      template: 'login_code',
      locale: 'en',
      params: { code: '042137', minutes: 10 },
      site: 'http://localhost:8080',
      brand: { ...BRAND, support_url: 'https://help.example.com' },
    });
    const list = renderMailList([mail(code), mail()]);
    expect(list).toContain('<code class="content code">042137</code>');
    expect(list).toContain('<a href="http://localhost:8080/verify-email?token=a&amp;b=1" rel="noreferrer">');
    expect(list).not.toContain('help.example.com');
    const notice = mail({ text: 'Hello,\n\nnothing to do at http://localhost:8080.\n' });
    expect(renderMailList([notice])).not.toContain('class="content');
  });

  it('shows a mail: text with links, HTML in a sandboxed frame', () => {
    const shown = mail({ html: '<html><head></head><body onload="alert(1)"><script>x</script></body></html>' });
    const html = renderMail(shown);
    expect(html).toContain('<a href="http://localhost:8080/verify-email?token=a&amp;b=1" rel="noreferrer">');
    expect(html).toContain(`sandbox="allow-popups allow-popups-to-escape-sandbox" src="/dev/mail/${shown.id}/html"`);
    expect(html).not.toMatch(/<script|<body onload/);
  });

  it('the content security policy allows only the style and the frame of the page', () => {
    for (const brand of [BRAND, { ...BRAND, color: '#006400' }]) {
      const { html, policy } = renderMailPage(mail(), brand);
      const style = /<style>([\s\S]*?)<\/style>/.exec(html)![1]!;
      expect(policy).toContain(createHash('sha256').update(style).digest('base64'));
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('script');
    }
  });
});
