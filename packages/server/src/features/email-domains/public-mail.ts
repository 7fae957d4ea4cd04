/**
 * Public mail services. The list only gives a clearer error message: the domain of an unlisted service cannot be
 * verified either, because that needs a record in its DNS.
 */
export const PUBLIC_MAIL_DOMAINS: ReadonlySet<string> = new Set(
  `126.com 139.com 163.com aim.com aliyun.com aol.com arcor.de att.net bellsouth.net bigpond.com bluewin.ch
  bol.com.br btinternet.com bt.com charter.net comcast.net cox.net daum.net duck.com earthlink.net email.com
  fastmail.com fastmail.fm foxmail.com free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net
  googlemail.com hanmail.net hey.com hotmail.be hotmail.ca hotmail.co.uk hotmail.com hotmail.de hotmail.es
  hotmail.fr hotmail.it hotmail.nl hushmail.com icloud.com inbox.com inbox.lv inbox.ru interia.pl juno.com kpnmail.nl
  laposte.net libero.it list.ru live.ca live.co.uk live.com live.com.au live.de live.fr live.it live.nl mac.com
  mail.com mail.de mail.ru mailbox.org me.com msn.com mweb.co.za naver.com netzero.net ntlworld.com o2.pl
  onet.pl online.de optonline.net optusnet.com.au orange.fr outlook.at outlook.com outlook.com.br outlook.de
  outlook.es outlook.fr outlook.it outlook.jp pm.me pobox.com posteo.de posteo.net proton.me protonmail.ch
  protonmail.com qq.com rambler.ru rediffmail.com riseup.net rocketmail.com rogers.com runbox.com sbcglobal.net
  seznam.cz sfr.fr shaw.ca sina.com sky.com skynet.be sohu.com startmail.com sympatico.ca t-online.de talktalk.net
  telenet.be telus.net terra.com.br tiscali.it tuta.com tuta.io tutamail.com tutanota.com tutanota.de ukr.net
  uol.com.br verizon.net virgilio.it virginmedia.com vodafone.de wanadoo.fr web.de windowslive.com wp.pl xs4all.nl
  xtra.co.nz ya.ru yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.au yahoo.com.br yahoo.de
  yahoo.es yahoo.fr yahoo.in yahoo.it yandex.com yandex.ru yeah.net ymail.com ziggo.nl zoho.com zohomail.com`.split(
    /\s+/,
  ),
);
