import { AvatarResponse, LIMITS } from '@gatehouse/contract';
import { findAvatarImage } from '../../domain/avatars/queries.ts';
import { noSuchRoute } from '../../http/errors.ts';
import { sendTagged } from '../../http/etag.ts';
import { OneFile } from '../../http/multipart.ts';
import { type Feature, route } from '../../http/route.ts';
import { removeAvatar } from './remove-avatar.ts';
import { storeAvatar } from './store-avatar.ts';

const FILE = /^([0-9a-f]{64})\.webp$/;

export const avatars: Feature = {
  name: 'Avatars',
  routes: [
    route({
      id: 'uploadAvatar',
      method: 'POST',
      path: '/users/me/avatar',
      admits: ['session'],
      summary: 'Upload your picture',
      description:
        'The image is re-encoded as a 256×256 WebP without metadata: rotated upright, cropped to its center, the first frame of an animation. It replaces the previous picture.',
      bodyKind: 'multipart',
      body: OneFile('avatar', {
        maxBytes: LIMITS.avatarBytes,
        description: 'PNG, JPEG, WebP or GIF, at most 5 MiB and 50 megapixels.',
      }),
      responses: { 200: AvatarResponse },
      errors: ['rate_limited'],
      handler: ({ deps, caller, session, body }) => storeAvatar(deps, caller, session, body.avatar),
    }),
    route({
      id: 'removeAvatar',
      method: 'DELETE',
      path: '/users/me/avatar',
      admits: ['session'],
      summary: 'Remove your picture',
      responses: { 204: null },
      handler: async ({ deps, caller, session }) => {
        await removeAvatar(deps, caller, session);
      },
    }),
    route({
      id: 'getAvatar',
      method: 'GET',
      path: '/avatars/:file',
      admits: ['anyone'],
      summary: 'Get a picture',
      description: 'The URL is derived from the content: the picture at a URL never changes, but it may be removed.',
      responses: { 200: null, 304: null },
      produces: 'image/webp',
      errors: ['not_found'],
      handler: async ({ deps, request, reply }) => {
        const [, id] = FILE.exec((request.params as { file: string }).file) ?? [];
        const image = id === undefined ? undefined : await findAvatarImage(deps.db, id);
        if (!image) throw noSuchRoute();
        const cacheControl = 'public, max-age=31536000, immutable';
        return sendTagged({ request, reply }, { body: image, etag: `"${id}"`, cacheControl, type: 'image/webp' });
      },
    }),
  ],
};
