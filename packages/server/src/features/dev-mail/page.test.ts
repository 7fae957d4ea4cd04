import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { renderTemplate } from '../../domain/mail/templates/render.ts';
import { DEV_MAIL_POLICY, renderMail, renderMailList } from './page.ts';

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

  it('shows a mail: text with links, HTML in a sandboxed frame', () => {
    const shown = mail({ html: '<html><head></head><body onload="alert(1)"><script>x</script></body></html>' });
    const html = renderMail(shown);
    expect(html).toContain('<a href="http://localhost:8080/verify-email?token=a&amp;b=1" rel="noreferrer">');
    expect(html).toContain(`sandbox="allow-popups allow-popups-to-escape-sandbox" src="/dev/mail/${shown.id}/html"`);
    expect(html).not.toMatch(/<script|<body onload/);
  });

  it('the policy of the page allows only its own style and frame', () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(renderMail(mail()))![1]!;
    expect(DEV_MAIL_POLICY).toContain(createHash('sha256').update(style).digest('base64'));
    expect(DEV_MAIL_POLICY).toContain("default-src 'none'");
    expect(DEV_MAIL_POLICY).not.toContain('script');
  });
});
