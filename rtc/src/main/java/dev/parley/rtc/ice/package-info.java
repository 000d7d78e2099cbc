/** ICE-lite, RFC 8445 and RFC 7675: answers checks, knows the selected path, watches consent. */
@NullMarked
package dev.parley.rtc.ice;

import org.jspecify.annotations.NullMarked;
