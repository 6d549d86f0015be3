// SPDX-License-Identifier: GPL-2.0-or-later
/* jansson with whole sentences and safe text. */
#include "schedblame/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/file.h"
#include "schedblame/strbuf.h"

#define JSON_FILE_MAX (256UL << 20)

int json_file_load(json_t **root, const char *path, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	json_error_t je;
	int ret = file_read(&sb, path, JSON_FILE_MAX, err);

	*root = NULL;
	if (!ret) {
		*root = json_loadb(sb.buf, sb.len, JSON_REJECT_DUPLICATES, &je);
		if (!*root)
			ret = err_set(err, EINVAL,
				      "%s is not valid JSON: %s at line %d, column %d", path,
				      je.text, je.line, je.column);
	}
	strbuf_release(&sb);
	return ret;
}

int json_file_save(const json_t *root, int dirfd, const char *path, struct err *err)
{
	char *text = json_dumps(root, JSON_INDENT(1) | JSON_ENSURE_ASCII |
				JSON_REAL_PRECISION(15));
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (!text)
		return err_set(err, EINVAL, "cannot write %s: a value is not JSON", path);
	strbuf_addstr(&sb, text);
	strbuf_addch(&sb, '\n');
	free(text);
	ret = file_write_atomic(dirfd, path, sb.buf, sb.len, 0666, err);
	strbuf_release(&sb);
	return ret;
}

int json_check_version(const json_t *root, const char *path, int newest,
		       struct err *err)
{
	const json_t *v = json_object_get(root, "version");

	if (!json_is_integer(v) || json_integer_value(v) < 1)
		return err_set(err, EINVAL,
			       "%s has no format version; it was not written by schedblame",
			       path);
	if (json_integer_value(v) > newest)
		return err_set(err, EINVAL,
			       "%s has format version %lld, this schedblame reads up to %d; "
			       "use the newer schedblame that wrote it",
			       path, (long long)json_integer_value(v), newest);
	return 0;
}

const char *json_str(const json_t *obj, const char *key, const char *def)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_string(v) ? json_string_value(v) : def;
}

int64_t json_i64(const json_t *obj, const char *key, int64_t def)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_integer(v) ? json_integer_value(v) : def;
}

uint64_t json_u64(const json_t *obj, const char *key, uint64_t def)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_integer(v) && json_integer_value(v) >= 0 ?
		       (uint64_t)json_integer_value(v) : def;
}

double json_dbl(const json_t *obj, const char *key, double def)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_number(v) ? json_number_value(v) : def;
}

bool json_bool(const json_t *obj, const char *key, bool def)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_boolean(v) ? json_is_true(v) : def;
}

/* Length of a well-formed UTF-8 sequence as jansson wants it, else 0. */
static size_t sequence(const char *s, size_t len)
{
	size_t n = (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 :
		   (s[0] & 0xf8) == 0xf0 ? 4 : 1;
	json_t *probe;

	if (n > len)
		return 0;
	probe = json_stringn(s, n);
	if (!probe)
		return 0;
	json_decref(probe);
	return n;
}

json_t *json_text(const char *s, size_t len)
{
	json_t *v = json_stringn(s, len);
	struct strbuf sb = STRBUF_INIT;

	if (v)
		return v;
	for (size_t i = 0; i < len;) {
		size_t n = sequence(s + i, len - i);

		if (n)
			strbuf_add(&sb, s + i, n);
		else
			strbuf_addstr(&sb, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
	v = json_stringn(sb.buf, sb.len);
	strbuf_release(&sb);
	return v;
}

json_t *json_num(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}
