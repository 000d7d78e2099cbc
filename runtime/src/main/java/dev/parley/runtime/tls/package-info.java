/** Certificates and keys that processes show one another and the world, as files hold them. */
@NullMarked
package dev.parley.runtime.tls;

import org.jspecify.annotations.NullMarked;
