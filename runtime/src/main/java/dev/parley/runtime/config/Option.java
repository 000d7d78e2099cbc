package dev.parley.runtime.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes one option of a process: a component of its config record. The key is the component's
 * name in snake_case ({@code maxSessions} is read from {@code max_sessions}).
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Option {
    /** Marks an option that has no default and must be given. */
    String REQUIRED = "\0required";

    /**
     * What it is for, its unit, and what to do when it is wrong; shown in errors and in the
     * effective config.
     */
    String value();

    /**
     * The default, written as in the file; lists separated by commas, maps as {@code key=value}
     * pairs.
     */
    String orElse() default REQUIRED;

    /** Smallest allowed number; for a duration, in milliseconds. */
    long min() default Long.MIN_VALUE;

    /** Largest allowed number; for a duration, in milliseconds. */
    long max() default Long.MAX_VALUE;

    /** Masked wherever the effective config is shown. */
    boolean secret() default false;
}
