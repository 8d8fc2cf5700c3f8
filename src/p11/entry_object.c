/* SPDX-License-Identifier: Apache-2.0 */
/* Object management (3.2, 5.7). */
#include "p11/call.h"

CK_RV C_CreateObject(CK_SESSION_HANDLE hSession, CK_ATTRIBUTE_PTR pTemplate, CK_ULONG ulCount,
		     CK_OBJECT_HANDLE_PTR phObject)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = phObject == NULL ? E_ARGUMENTS
				     : obj_create(c.session, templ(pTemplate, ulCount), phObject);
	return call_leave(&c, e);
}

CK_RV C_CopyObject(CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hObject, CK_ATTRIBUTE_PTR pTemplate,
		   CK_ULONG ulCount, CK_OBJECT_HANDLE_PTR phNewObject)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK && phNewObject == NULL)
		e = E_ARGUMENTS;
	if (e == OK)
		e = obj_copy(c.session, hObject, templ(pTemplate, ulCount), phNewObject);
	return call_leave(&c, e);
}

CK_RV C_DestroyObject(CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hObject)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = obj_destroy(c.session, hObject);
	return call_leave(&c, e);
}

CK_RV C_GetObjectSize(CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hObject, CK_ULONG_PTR pulSize)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = pulSize == NULL ? E_ARGUMENTS : obj_size(c.session, hObject, pulSize);
	return call_leave(&c, e);
}

CK_RV C_GetAttributeValue(CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hObject,
			  CK_ATTRIBUTE_PTR pTemplate, CK_ULONG ulCount)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK && pTemplate == NULL && ulCount != 0)
		e = E_ARGUMENTS;
	if (e == OK)
		e = obj_get(c.session, hObject, pTemplate, ulCount);
	return call_leave(&c, e);
}

CK_RV C_SetAttributeValue(CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE hObject,
			  CK_ATTRIBUTE_PTR pTemplate, CK_ULONG ulCount)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = obj_set(c.session, hObject, templ(pTemplate, ulCount));
	return call_leave(&c, e);
}

CK_RV C_FindObjectsInit(CK_SESSION_HANDLE hSession, CK_ATTRIBUTE_PTR pTemplate, CK_ULONG ulCount)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = find_init(c.session, templ(pTemplate, ulCount));
	return call_leave(&c, e);
}

CK_RV C_FindObjects(CK_SESSION_HANDLE hSession, CK_OBJECT_HANDLE_PTR phObject,
		    CK_ULONG ulMaxObjectCount, CK_ULONG_PTR pulObjectCount)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK && (pulObjectCount == NULL || (phObject == NULL && ulMaxObjectCount != 0)))
		e = E_ARGUMENTS;
	if (e == OK)
		e = find_next(c.session, phObject, ulMaxObjectCount, pulObjectCount);
	return call_leave(&c, e);
}

CK_RV C_FindObjectsFinal(CK_SESSION_HANDLE hSession)
{
	struct call c;
	enum err e = call_enter(&c, hSession);

	if (e == OK)
		e = find_final(c.session);
	return call_leave(&c, e);
}
