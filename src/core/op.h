/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations: init, update and final of every kind, one of each kind per session (3.2, 5.8 to
 * 5.16). The rules that all kinds share are here once: a length query and a too-small buffer keep
 * the operation, every other return ends it (5.2); the logout epoch is checked at release;
 * results pass roll_commit before they are seen. All functions want the session's lock held.
 */
#ifndef CHANCERY_CORE_OP_H
#define CHANCERY_CORE_OP_H

#include "base/err.h"
#include "base/span.h"
#include <chancery/chancery.h>

struct session;
struct op;

enum op_kind {
	OP_ENCRYPT,
	OP_DECRYPT,
	OP_DIGEST,
	OP_SIGN,
	OP_SIGN_RECOVER,
	OP_VERIFY,
	OP_VERIFY_RECOVER,
	OP_VERIFY_SIGNATURE, /* C_VerifySignatureInit: the signature comes first */
	OP_COUNT
};

/* key 0 for digests; mechanism NULL cancels (5.8.1). sig: OP_VERIFY_SIGNATURE only. */
enum err op_init(struct session *s, enum op_kind k, const CK_MECHANISM *mechanism,
		 CK_OBJECT_HANDLE key, struct span sig);
/* The whole operation: ENCRYPT, DECRYPT, DIGEST, SIGN, SIGN_RECOVER, VERIFY_RECOVER. */
enum err op_once(struct session *s, enum op_kind k, struct span in, struct out o);
enum err op_update(struct session *s, enum op_kind k, struct span in, struct out o);
enum err op_final(struct session *s, enum op_kind k, struct out o);
enum err op_verify(struct session *s, enum op_kind k, struct span in, struct span sig);
enum err op_verify_final(struct session *s, enum op_kind k, struct span sig);
enum err op_digest_key(struct session *s, CK_OBJECT_HANDLE key);
/* Dual-function calls (5.15): first digests or signs the input, second encrypts or decrypts. */
enum err op_dual(struct session *s, enum op_kind first, enum op_kind second, struct span in,
		 struct out o);
/*
 * SignBatch of the vendor interface: a call of its own, beside whatever operation is under way. Each answer has its data, and room for its
 * signature.
 */
enum err op_sign_batch(struct session *s, const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key,
		       CK_CHANCERY_ANSWER *answers, size_t n);
/* C_SessionCancel. */
enum err op_cancel(struct session *s, CK_FLAGS flags);
/* C_GetOperationState, C_SetOperationState. */
enum err op_save(struct session *s, struct out o);
enum err op_restore(struct session *s, struct span state, CK_OBJECT_HANDLE enc_key,
		    CK_OBJECT_HANDLE auth_key);
/* Whether an operation waits for CKU_CONTEXT_SPECIFIC: to be asked before a PIN is tried. */
bool op_waiting(const struct session *s);
/*
 * CKU_CONTEXT_SPECIFIC succeeded: the operation that waits for it may go on. E_NO_OPERATION when
 * none waits.
 */
enum err op_authenticated(struct session *s);
/* Ends every operation (close); the search is ended by find_end (find.h). */
void op_end_all(struct session *s);
/* Memory back (finalise, teardown of the table). */
void op_free_all(struct session *s);

#endif
