/* SPDX-License-Identifier: Apache-2.0 */
#include "store/pinkey.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "crypto/lib.h"
#include "store/put.h"

#define PIN_MIN 4
#define PIN_MAX 255
#define LANES   1

/* domain, token, user, then the parameters and the salt */
#define FRAME (16 + sizeof(struct ident) + 1 + 3 * 4 + PINKEY_SALT)

/* Failures that cost no delay; then it doubles, up to a bound. */
#define DELAY_FREE      3
#define DELAY_FIRST_MS  250U
#define DELAY_DOUBLINGS 4

#define CALIBRATE_COST_MAX       (256U * 1024)
#define CALIBRATE_ITERATIONS_MAX 50000000U

static const char domain[16] = "chancery pin";

enum err pinkey_acceptable(struct span pin)
{
	if (pin.n < PIN_MIN || pin.n > PIN_MAX)
		return E_PIN_LEN;
	return utf8_valid(pin) ? OK : E_PIN_INVALID;
}

/*
 * STORE_MACHINE_PIN and 64 hexadecimal digits: 256 random bits, which no KDF can make stronger. Digits alone do
 * not count: the hash of a poor password looks the same.
 */
static bool machine_made(struct span pin)
{
	const size_t prefix = strlen(STORE_MACHINE_PIN);

	if (pin.n != prefix + 2 * SEALING_KEY || memcmp(pin.p, STORE_MACHINE_PIN, prefix) != 0)
		return false;
	for (size_t i = prefix; i < pin.n; i++)
		if (!(pin.p[i] >= '0' && pin.p[i] <= '9') && !(pin.p[i] >= 'a' && pin.p[i] <= 'f'))
			return false;
	return true;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void choose(const struct store_policy *p, const struct pinkey *least, struct span pin,
		   struct pinkey *out)
{
	*out = (struct pinkey){ .kdf = KDF_HKDF };
	if (machine_made(pin))
		return;
	out->kdf = p->pbkdf2 ? KDF_PBKDF2 : KDF_ARGON2ID;
	out->cost = p->kdf_cost;
	out->passes = p->pbkdf2 ? 0 : p->kdf_passes;
	if (least == NULL || least->kdf != out->kdf)
		return;
	out->cost = larger(out->cost, least->cost);
	out->passes = larger(out->passes, least->passes);
}

bool pinkey_sane(const struct pinkey *pk)
{
	if (pk->kdf == KDF_HKDF)
		return pk->cost == 0 && pk->passes == 0;
	if (pk->kdf == KDF_PBKDF2)
		return pk->cost >= 1 && pk->cost <= PINKEY_ITERATIONS_MAX && pk->passes == 0;
	return pk->kdf == KDF_ARGON2ID && pk->cost >= 8 * LANES && pk->cost <= PINKEY_KIB_MAX &&
	       pk->passes >= 1 && pk->passes <= PINKEY_PASSES_MAX;
}

enum err pinkey_derive(const struct pinkey *pk, struct span pin, uint8_t key[SEALING_KEY])
{
	const struct span salt = span(pk->salt, sizeof(pk->salt));

	if (pk->kdf == KDF_ARGON2ID)
		return sealing_argon2id(pin, salt, pk->cost, pk->passes, LANES, key);
	if (pk->kdf == KDF_PBKDF2)
		return sealing_pbkdf2(pin, salt, pk->cost, key);
	/* HKDF takes no empty secret; a NUL is as wrong as nothing, and is to count like any other wrong PIN */
	return sealing_hkdf(pin.n != 0 ? pin : span("", 1), salt, span_str("chancery store 1 pin"),
			    key, SEALING_KEY);
}

static struct span bind(const struct pinkey *pk, const struct ident *ident, enum store_user u,
			uint8_t frame[FRAME])
{
	struct sink s = sink(frame, FRAME);

	sink_put(&s, span(domain, sizeof(domain)));
	sink_put(&s, span(ident, sizeof(*ident)));
	put_u8(&s, (uint8_t)u);
	put_u32(&s, pk->kdf);
	put_u32(&s, pk->cost);
	put_u32(&s, pk->passes);
	sink_put(&s, span(pk->salt, sizeof(pk->salt)));
	return span(frame, s.n);
}

static enum err wrap(const uint8_t key[SEALING_KEY], struct span aad, const uint8_t *data_key,
		     struct pinkey *out)
{
	struct buf b = { 0 };
	enum err e = sealing_seal(key, aad, span(data_key, SEALING_KEY), &b);

	if (e == OK)
		memcpy(out->wrapped, b.p, sizeof(out->wrapped));
	buf_free(&b);
	return e;
}

enum err pinkey_begin(const struct store_policy *p, const struct pinkey *least, struct span pin,
		      struct pinkey *pk)
{
	choose(p, least, pin, pk);
	return pinkey_sane(pk) ? crypto_random(pk->salt, sizeof(pk->salt)) : E_ARGUMENTS;
}

enum err pinkey_make(const struct store_policy *p, const struct pinkey *least,
		     const struct ident *ident, enum store_user u, struct span pin,
		     const uint8_t *data_key, struct pinkey *out)
{
	uint8_t key[SEALING_KEY], frame[FRAME];
	struct pinkey pk;
	enum err e = pinkey_begin(p, least, pin, &pk);

	if (e == OK)
		e = pinkey_derive(&pk, pin, key);
	if (e == OK)
		e = wrap(key, bind(&pk, ident, u, frame), data_key, &pk);
	mem_wipe(key, sizeof(key));
	if (e == OK)
		*out = pk;
	return e;
}

static enum err unwrap(const struct pinkey *pk, const uint8_t key[SEALING_KEY],
		       const struct ident *ident, enum store_user u, struct seal **k)
{
	struct buf data = { .secret = true };
	uint8_t frame[FRAME];
	enum err e = sealing_open(key, bind(pk, ident, u, frame),
				  span(pk->wrapped, sizeof(pk->wrapped)), &data);

	if (e == OK)
		e = seal_new(ident, u, data.p, k);
	buf_free(&data);
	return e == E_CORRUPT ? E_PIN_WRONG : e;
}

enum err pinkey_open(const struct pinkey *pk, const struct ident *ident, enum store_user u,
		     struct span pin, struct seal **k)
{
	uint8_t key[SEALING_KEY];
	enum err e = pinkey_derive(pk, pin, key);

	if (e == OK)
		e = unwrap(pk, key, ident, u, k);
	mem_wipe(key, sizeof(key));
	return e;
}

enum err pinkey_digest(const struct pinkey *pk, const struct ident *ident, enum store_user u,
		       uint8_t digest[SEALING_MAC])
{
	uint8_t frame[FRAME];
	const struct span parts[] = { bind(pk, ident, u, frame),
				      span(pk->wrapped, sizeof(pk->wrapped)) };

	return sealing_digest(parts, 2, digest);
}

enum err pinkey_sum(const struct pinkey *pk, const struct ident *ident, enum store_user u,
		    uint8_t sum[PINKEY_SUM])
{
	uint8_t digest[SEALING_MAC];
	enum err e = pinkey_digest(pk, ident, u, digest);

	if (e == OK)
		memcpy(sum, digest, PINKEY_SUM);
	return e;
}

unsigned pinkey_delay_ms(uint32_t failures)
{
	if (failures < DELAY_FREE)
		return 0;
	failures -= DELAY_FREE;
	return DELAY_FIRST_MS << (failures < DELAY_DOUBLINGS ? failures : DELAY_DOUBLINGS);
}

/* ---- calibration ---- */

static enum err time_once(const struct pinkey *pk, double *ms)
{
	uint8_t key[SEALING_KEY];
	const uint64_t began = clock_ns();
	enum err e = pinkey_derive(pk, span_str("calibration"), key);

	*ms = (double)(clock_ns() - began) / 1e6;
	mem_wipe(key, sizeof(key));
	return e;
}

/* Both KDFs take time in proportion to their cost, so one measurement is enough. */
enum err store_calibrate(unsigned target_ms, struct store_policy *p)
{
	const uint32_t most = p->pbkdf2 ? CALIBRATE_ITERATIONS_MAX : CALIBRATE_COST_MAX;
	struct pinkey pk;
	double ms = 0, want;
	enum err e;

	choose(p, NULL, span(NULL, 0), &pk);
	if (!pinkey_sane(&pk))
		return E_ARGUMENTS;
	e = time_once(&pk, &ms);
	if (e != OK || ms <= 0)
		return e;
	want = (double)p->kdf_cost * (double)target_ms / ms;
	if (want > (double)most)
		want = (double)most;
	if (want > (double)p->kdf_cost)
		p->kdf_cost = (uint32_t)want;
	return OK;
}
