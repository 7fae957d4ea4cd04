import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../domain/kernel/service-error.ts';
import { OneFile, parseUpload, uploadOf } from './multipart.ts';

const upload = { field: 'avatar', maxBytes: 1000 };
const TYPE = 'multipart/form-data; boundary=b';
const FILE = 'Content-Disposition: form-data; name="avatar"; filename="a.png"';

const parse = (body: string | Buffer, type: string | undefined = TYPE) =>
  parseUpload(type, Buffer.from(body as string), upload).avatar;
const form = (...parts: string[]) => `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
const expectRejected = (body: string | Buffer, message: RegExp, type?: string) => {
  expect(() => parse(body, type)).toThrow(ServiceError);
  expect(() => parse(body, type)).toThrow(message);
};

describe('a form with one file', () => {
  it('returns the bytes of the file unchanged', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 1000 }), (bytes) => {
        const body = Buffer.concat([
          Buffer.from(`--xYz+Q\r\n${FILE}\r\n\r\n`),
          bytes,
          Buffer.from('\r\n--xYz+Q--\r\n'),
        ]);
        expect(parseUpload('multipart/form-data; boundary=xYz+Q', body, upload).avatar).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it.each([
    ['no line break at the end', `--b\r\n${FILE}\r\n\r\nabc\r\n--b--`],
    ['a preamble and an epilogue', `hello\r\n--b\r\n${FILE}\r\n\r\nabc\r\n--b--\r\nbye --b`],
    ['spaces after the boundary', `--b \t\r\n${FILE}\r\n\r\nabc\r\n--b--`],
    ['other fields around it', form('Content-Disposition: form-data; name="x"\r\n\r\ny', `${FILE}\r\n\r\nabc`)],
    ['more headers', form(`Content-Type: text/html\r\n${FILE}\r\nX: y\r\n\r\nabc`)],
    ['names without quotes', form('content-disposition:form-data;name=avatar;filename=a\r\n\r\nabc')],
    [
      'an encoded file name',
      form(`Content-Disposition: form-data; name="avatar"; filename*=UTF-8''%e2%82%ac\r\n\r\nabc`),
    ],
    [
      'quotes and semicolons in the file name',
      form('Content-Disposition: form-data; filename="a\\";name=x"; name="avatar"\r\n\r\nabc'),
    ],
    ['an empty file name', form('Content-Disposition: form-data; name="avatar"; filename=""\r\n\r\nabc')],
  ])('is accepted with %s', (_name, body) => {
    expect(parse(body)?.toString()).toBe('abc');
  });

  it.each([
    'Multipart/Form-Data;boundary=b',
    'multipart/form-data; charset=utf-8; boundary="b"',
    'multipart/form-data; boundary=b; charset=utf-8',
  ])('is accepted when declared as %s', (type) => {
    expect(parse(form(`${FILE}\r\n\r\nabc`), type)?.toString()).toBe('abc');
  });
});

describe('an invalid form is rejected:', () => {
  it.each([
    ['no type', ''],
    ['another type', 'application/json'],
    ['another form', 'application/x-www-form-urlencoded'],
    ['another multipart', 'multipart/mixed; boundary=b'],
    ['no boundary', 'multipart/form-data'],
    ['an empty boundary', 'multipart/form-data; boundary='],
    ['a boundary that is too long', `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['a boundary with a line break in it', 'multipart/form-data; boundary="a\\\r\nb"'],
  ])('rejects a form with the content type: %s', (_name, type) =>
    expectRejected(form(`${FILE}\r\n\r\nabc`), /^body: must have the content type multipart.*avatar/, type),
  );

  it.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['another boundary', form(`${FILE}\r\n\r\nabc`).replaceAll('--b', '--c')],
    ['no closing boundary', `--b\r\n${FILE}\r\n\r\nabc\r\n`],
    ['incomplete headers', '--b\r\nContent-Dispo'],
    ['no blank line', `--b\r\n${FILE}\r\n--b--\r\n`],
    ['no blank line in the part before', form('x', `${FILE}\r\n\r\nabc`)],
    ['no headers', form('\r\nabc')],
    ['no name', form('Content-Disposition: form-data; filename="x"\r\n\r\nabc')],
    ['another disposition', form('Content-Disposition: attachment; name="avatar"; filename="x"\r\n\r\nabc')],
    ['a longer boundary', `--bc\r\n${FILE}\r\n\r\nabc\r\n--b--`],
    ['headers that are too long', form(`X: ${'y'.repeat(5000)}\r\n${FILE}\r\n\r\nabc`)],
    [
      'endless text',
      form(`Content-Disposition: form-data; name="x"\r\n\r\n${'y'.repeat(20_000)}`, `${FILE}\r\n\r\nabc`),
    ],
    [
      'countless fields',
      form(...Array(30).fill('Content-Disposition: form-data; name="x"\r\n\r\ny'), `${FILE}\r\n\r\nabc`),
    ],
  ])('rejects a form with the body: %s', (_name, body) =>
    expectRejected(body, /^body: must be complete multipart.*avatar/),
  );

  it.each([
    ['another name', form(FILE.replace('avatar', 'photo').concat('\r\n\r\nabc')), 'is required'],
    ['an empty form', '--b--\r\n', 'is required'],
    ['a text field', form('Content-Disposition: form-data; name="avatar"\r\n\r\nabc'), 'must be a file'],
    [
      'a file and a text field',
      form(`${FILE}\r\n\r\nabc`, 'Content-Disposition: form-data; name="avatar"\r\n\r\nabc'),
      'must be a file',
    ],
    ['two files', form(`${FILE}\r\n\r\nabc`, `${FILE}\r\n\r\nabc`), 'must be the only file'],
    [
      'another file beside it',
      form(`${FILE}\r\n\r\nabc`, `${FILE.replace('avatar', 'x')}\r\n\r\nabc`),
      'must be the only file',
    ],
    ['an empty file', form(`${FILE}\r\n\r\n`), 'must not be empty'],
    ['an empty file without a line of its own', `--b\r\n${FILE}\r\n\r\n--b--\r\n`, 'must not be empty'],
    ['a file that is too large', form(`${FILE}\r\n\r\n${'x'.repeat(1001)}`), 'must be at most 1000 bytes'],
  ])('rejects a form with the file field: %s', (_name, body, message) =>
    expectRejected(body, new RegExp(`^avatar: ${message}$`)),
  );

  it('either parses a form or rejects it with an error, for random input', () => {
    const piece = fc.constantFrom(
      '--b',
      '\r\n',
      '--',
      FILE,
      'Content-Disposition: form-data',
      '; name="avatar"',
      '"',
      ';',
      '\\',
      '=',
      'x',
      ' ',
      '\0',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: piece }, fc.string()), { maxLength: 40 }), (pieces) => {
        try {
          expect(parse(pieces.join(''))).toBeInstanceOf(Buffer);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('rejects a form in linear time', () => {
    const nasty = [
      ';a="'.repeat(1000),
      '; '.repeat(2000),
      `;a="${'\\'.repeat(3900)}`,
      `;${'a'.repeat(4000)}`,
      `${' '.repeat(3900)}x`,
    ];
    for (const parameters of nasty) {
      const part = `Content-Disposition: form-data; name=x${parameters}`.slice(0, 4000);
      const body = Buffer.from(form(...Array(20).fill(`${part}\r\n\r\nx`)));
      for (let round = 0; round < 50; round++) expectRejected(body, /^avatar: is required$/);
    }
    expectRejected('\r\n--'.repeat(500_000), /^body: /);
  });
});

it('the schema declares the field and the maximum size of the file', () => {
  expect(uploadOf(OneFile('avatar', { maxBytes: 5, description: 'A picture.' }))).toEqual({
    field: 'avatar',
    maxBytes: 5,
  });
  expect(() => uploadOf(undefined)).toThrow('OneFile');
});
