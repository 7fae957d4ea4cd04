import { renderStartPage, START_STYLE } from '@gatehouse/web';
import { open } from '../../http/guards.ts';
import { sendPage } from '../../http/page.ts';
import { type Feature, route } from '../../http/route.ts';

export const web: Feature = {
  name: 'Web',
  routes: [
    route({
      method: 'GET',
      path: '/',
      atBase: true,
      access: [open],
      summary: 'The start page',
      responses: { 200: null },
      produces: 'text/html',
      handler: ({ deps: { config }, reply }) =>
        sendPage(reply, {
          html: renderStartPage({ baseUrl: config.PUBLIC_BASE_URL, development: config.NODE_ENV !== 'production' }),
          style: START_STYLE,
          cacheControl: 'no-cache',
        }),
    }),
  ],
};
